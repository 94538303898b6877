import stringify from 'safe-stable-stringify';
import { changeRules } from '../containers/changeRules.mts';
import { toContainerDetails, toEnvelope } from '../containers/containerRecord.mts';
import { destroyContainer } from '../containers/destroyContainer.mts';
import { renewLegacySeal } from '../containers/reseal.mts';
import { openSeal } from '../containers/seal.mts';
import { findContainer } from '../database/queries.mts';
import { notFound, ServiceError } from '../errors.mts';
import { answerOnce, type Keep } from './answerOnce.mts';
import { forContainer, forUser, type ContainerCall, type Handlers } from './call.mts';
import { decodeFile } from './decode.mts';
import { encodeFiles } from './encode.mts';
import { listContainers } from './listContainers.mts';

const toETag = (revision: number) => `"${revision}"`;

export const containerHandlers: Handlers = {
	encodeFiles: forUser(encodeFiles),
	listContainers: forUser(listContainers),
	getContainerEnvelope: forUser(async ({ vault, owner, request, publicUrl, isOfficeShown }) => {
		const row = await findContainer(vault.database, request.params.container_id);
		if (row?.owner_id !== owner.id) throw notFound('container');
		return toEnvelope(row, { publicUrl, isOfficeShown });
	}),
	getContainer: forContainer(({ container, publicUrl, isOfficeShown }) =>
		toContainerDetails(container, { publicUrl, isOfficeShown }),
	),
	deleteContainer: forContainer(async ({ vault, container, by, reply }) => {
		await destroyContainer(vault, container.id, by);
		void reply.code(204);
	}),
	getDrmRules: forContainer(({ vault, container, reply }) => {
		void reply.header('ETag', toETag(container.revision));
		return openSeal(vault.keys, container).rules;
	}),
	updateDrmRules: forContainer(updateDrmRules),
	decodeFile: forContainer(decodeFile),
};

async function updateDrmRules(call: ContainerCall) {
	const { vault, container, request, reply } = call;
	const facts = ['updateDrmRules', container.id, stringify(request.body) ?? ''];
	const change = async (keep: Keep) => await changeByRequest(call, keep);
	// A key that is known is answered before the version is compared.
	const { rules, revision } = await answerOnce(call, facts, change);
	// It can read for minutes, and a change of access must not wait for it.
	renewLegacySeal(vault, container.id).catch((error: Error) =>
		request.log.error(error, "A seal couldn't be renewed"),
	);
	void reply.header('ETag', toETag(revision));
	return rules;
}

async function changeByRequest(call: ContainerCall, keep: Keep) {
	const { vault, container, calendar, by, request } = call;
	const expected = request.headers['if-match']?.split(',').map((tag) => tag.trim());
	const change = (_before: unknown, current: number) => {
		const isExpected = ['*', toETag(current)].some((tag) => !expected || expected.includes(tag));
		if (isExpected) return request.body as object;
		const message =
			'The rules have changed meanwhile. Read them again, then send your change with the new ETag.';
		throw new ServiceError(412, 'changed', message);
	};
	const actor = { ...by, today: calendar.format(new Date()), onChanged: keep };
	return await changeRules(vault, container.id, actor, change);
}
