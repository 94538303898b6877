import { decryptFile, type OpenedContainer } from '../containers/decryptFile.mts';
import { toPasswordAttempt, tryPassword } from '../containers/passwordAttempts.mts';
import { openSeal } from '../containers/seal.mts';
import { sendContent } from '../web/sendContent.mts';
import { transact } from '../containers/trail.mts';
import { findContainerForUpdate } from '../database/queries.mts';
import { notFound, ServiceError } from '../errors.mts';
import type { ContainerCall } from './call.mts';

interface DecodeBody {
	/** Its place in the container. */
	file: number;
	password?: string;
}

/** Sends a file to the owner of its container. The rules are for recipients. */
export async function decodeFile(call: ContainerCall) {
	const { vault, container: row, request, reply } = call;
	const { file: index, password } = request.body as DecodeBody;
	const seal = openSeal(vault.keys, row);
	if (index >= seal.files.length) throw notFound('file');
	const passwordKey = await getPasswordKey(call, { row, seal }, password);
	await recordDecode(call, index);
	const file = seal.files[index];
	const { name, type: contentType, size } = file;
	const content = decryptFile(vault, { row, seal, passwordKey }, file, {
		start: 0,
		end: file.size,
	});
	const sent = { name, contentType, size, disposition: 'attachment' } as const;
	return await sendContent(reply, sent, content);
}

/** @returns nothing where no password is needed @throws ServiceError 403, 429 */
async function getPasswordKey(
	{ vault, by }: ContainerCall,
	container: OpenedContainer,
	password?: string,
): Promise<string | undefined> {
	if ('identity' in container.seal.secret) return undefined;
	if (password === undefined) {
		throw new ServiceError(403, 'password_required', 'This container has a password. Send it.');
	}
	const attempts = [toPasswordAttempt(by.user, container.row.id)];
	const { wait, key } = await tryPassword(vault, container, { password, attempts });
	if (wait > 0) {
		const message = 'Too many wrong passwords for this container were sent within an hour.';
		const retryAfter = Math.ceil(wait / 1000);
		throw new ServiceError(429, 'too_many_passwords', message, { retryAfter });
	}
	if (key === undefined) {
		throw new ServiceError(403, 'password_wrong', 'The password is wrong.');
	}
	return key;
}

/** Before the first byte. @throws ServiceError 404 where the container went while its password was tried */
async function recordDecode({ vault, container, by }: ContainerCall, file: number): Promise<void> {
	await transact(vault, async (queries, record) => {
		const row = await findContainerForUpdate(queries, container.id);
		if (row?.owner_id !== container.owner_id) throw notFound('container');
		const about = { ownerId: row.owner_id, container: row, user: by.user };
		await record({ ...about, action: 'container.decode', detail: { ip: by.ip, file } });
	});
}
