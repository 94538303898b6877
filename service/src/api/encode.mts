import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createContainer } from '../containers/createContainer.mts';
import { readForm, type IncomingForm } from '../containers/incomingForm.mts';
import { toEnvelope } from '../containers/containerRecord.mts';
import type { ContainerRow } from '../database/schema.mts';
import { malformed } from '../errors.mts';
import { answerOnce, type Keep } from './answerOnce.mts';
import { authenticate } from './authenticate.mts';
import type { UserCall } from './call.mts';

/** Encrypts a form into a new container. @throws ServiceError */
export async function encodeFiles(call: UserCall) {
	const { owner, request, reply, checkManifest, maxUploadBytes } = call;
	const { body, headers } = request;
	if (!(body instanceof Readable)) {
		throw malformed('Send the manifest and the files as multipart/form-data.');
	}
	const options = { checkManifest, maxUploadBytes };
	const form = await readForm(body, headers['content-type']!, options);
	const facts = [owner.id, form.manifest.canonical];
	const run = async (keep: Keep) => await encodeForm(call, form, keep);
	const response = await answerOnce(call, facts, run, async () => await hashFiles(form));
	void reply.code(201);
	return response;
}

async function encodeForm(call: UserCall, { manifest, files }: IncomingForm, keep: Keep) {
	const { vault, owner, by, request, publicUrl, isOfficeShown } = call;
	const toResponse = (row: ContainerRow) => toEnvelope(row, { publicUrl, isOfficeShown });
	const { container } = await createContainer(vault, {
		ownerId: owner.id,
		...by,
		manifest,
		files,
		// Whoever sends it can have lost all access meanwhile: an upload can take hours.
		confirm: async (queries) => await authenticate(queries, request.headers.authorization),
		onCreated: async ({ queries, container, files: stored }) => {
			const hashes = stored.map(({ sha256 }) => sha256);
			await keep(queries, toResponse(container), hashes);
		},
	});
	return toResponse(container);
}

/** Reads the files only to compare them with those of an earlier request. */
async function hashFiles({ files }: IncomingForm): Promise<string[]> {
	const hashes: string[] = [];
	for await (const { content } of files) {
		const hash = createHash('sha256');
		for await (const piece of content) hash.update(piece);
		hashes.push(hash.digest('hex'));
	}
	return hashes;
}
