import { containerInPath, userInPath } from '../service/access.cts';
import { jsonAnswer } from '../service/answer.cts';
import { changeAnswer } from '../service/answers.cts';
import type { Context, Endpoint } from '../service/context.cts';
import { notFound } from '../service/errors.cts';
import { listAnswer } from '../service/lists.cts';
import { containerEnvelope, containerRecord } from '../service/records.cts';
import { checkManifest } from '../validation/manifest.cts';
import { checkUpload } from '../validation/upload.cts';

/** service-api.md, end points 2 to 6. */
export const containerEndpoints: Endpoint[] = [
	{
		name: 'encode',
		method: 'POST',
		path: '/users/:user_id/containers/encode',
		reads: 'upload',
		operation: encode,
	},
	{
		name: 'listContainers',
		method: 'GET',
		path: '/users/:user_id/containers',
		reads: 'nothing',
		operation: list,
	},
	{
		name: 'getEnvelope',
		method: 'GET',
		path: '/users/:user_id/containers/:container_id',
		reads: 'nothing',
		operation: getEnvelope,
	},
	{
		name: 'getContainer',
		method: 'GET',
		path: '/containers/:container_id',
		reads: 'nothing',
		operation: get,
	},
	{
		name: 'deleteContainer',
		method: 'DELETE',
		path: '/containers/:container_id',
		reads: 'nothing',
		operation: remove,
	},
];

function encode(context: Context) {
	const owner = userInPath(context);
	const { settings, store, parts = [] } = context;
	const { manifestText, files } = checkUpload(parts, settings);
	const container = store.addContainer({
		userId: owner.id,
		...checkManifest(manifestText, settings),
		files: files.map(({ filename = '', type, size, sha256, path }) => ({
			name: filename,
			type,
			size,
			sha256,
			path,
		})),
	});
	return jsonAnswer(settings.statuses.encode ?? 200, containerEnvelope(container, settings));
}

function list(context: Context) {
	const owner = userInPath(context);
	const { settings, store, path, origin } = context;
	const entries = store.containersOf(owner.id).map((container) => {
		const fields = containerRecord(container, settings);
		return {
			key: container.uuid,
			fields,
			shown:
				settings.listEntries === 'envelope'
					? { org_id: container.userId, container: fields }
					: fields,
		};
	});
	const status = settings.statuses.listContainers ?? 200;
	return listAnswer(entries, { path, origin, status, shape: settings.containerList, settings });
}

function getEnvelope(context: Context) {
	const owner = userInPath(context);
	const container = containerInPath(context);
	if (container.userId !== owner.id) {
		throw notFound(`User ${owner.id} has no container ${container.uuid}`);
	}
	const { settings } = context;
	return jsonAnswer(settings.statuses.getEnvelope ?? 200, containerEnvelope(container, settings));
}

function get(context: Context) {
	const container = containerInPath(context);
	const { settings } = context;
	const record = {
		...containerRecord(container, settings),
		files: container.files.map(({ name, type, size }) => ({ name, type, size })),
	};
	return jsonAnswer(
		settings.statuses.getContainer ?? 200,
		settings.getContainerAnswer === 'envelope'
			? { org_id: container.userId, container: record }
			: record,
	);
}

function remove(context: Context) {
	const container = containerInPath(context);
	const { settings, store } = context;
	store.containers.delete(container.uuid);
	return changeAnswer(
		settings.deleteAnswer,
		settings.statuses.deleteContainer ?? 200,
		'The container was deleted',
		() => containerEnvelope(container, settings),
	);
}
