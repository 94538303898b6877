import { findContainer, findUser } from '../service/access.cts';
import { changeResponse } from '../service/changeResponse.cts';
import type { Operation } from '../service/context.cts';
import { notFound } from '../service/errors.cts';
import { listResponse } from '../service/lists.cts';
import { containerEnvelope, containerRecord } from '../service/records.cts';
import { jsonResponse } from '../service/response.cts';
import type { Rules } from '../service/store.cts';
import { assertUpload, assertWindow } from '../service/validation.cts';

/** A manifest that fits the contract. */
interface Manifest {
	container: {
		name?: string;
		recipients?: string[];
		downloadable?: boolean;
		drm?: Rules;
	};
}

const encodeFiles: Operation = (context) => {
	const owner = findUser(context);
	const { settings, store, parts = [] } = context;
	assertUpload(parts, settings.filePart);
	const manifestPart = parts.find(({ received }) => received.name === settings.manifestPart);
	const manifest = JSON.parse(manifestPart?.text ?? '') as Manifest;
	const { name = '', recipients, downloadable, drm = {} } = manifest.container;
	assertWindow(drm);
	const container = store.addContainer({
		userId: owner.id,
		manifest,
		name,
		rules: {
			dynamic: settings.defaultDynamic,
			...(recipients === undefined ? {} : { recipients }),
			...(downloadable === undefined ? {} : { downloadable }),
			...drm,
		},
		files: parts
			.filter((part) => part !== manifestPart)
			.map(({ received: { filename = '', type, size, sha256, path } }) => ({
				name: filename,
				type,
				size,
				sha256,
				path,
			})),
	});
	return jsonResponse(settings.statuses.encodeFiles ?? 200, containerEnvelope(container, settings));
};

const listContainers: Operation = (context) => {
	const owner = findUser(context);
	const { settings, store, path, origin } = context;
	const entries = store.containersOf(owner.id).map((container) => {
		const { container: record, ...envelope } = containerEnvelope(container, settings);
		const value = settings.listEntries === 'envelope' ? { ...envelope, container: record } : record;
		return { key: container.uuid, fields: record, value };
	});
	const status = settings.statuses.listContainers ?? 200;
	return listResponse(entries, { path, origin, status, shape: settings.containerList, settings });
};

const getContainerEnvelope: Operation = (context) => {
	const owner = findUser(context);
	const container = findContainer(context);
	if (container.userId !== owner.id) {
		throw notFound(`User ${owner.id} has no container ${container.uuid}`);
	}
	const { settings } = context;
	return jsonResponse(
		settings.statuses.getContainerEnvelope ?? 200,
		containerEnvelope(container, settings),
	);
};

const getContainer: Operation = (context) => {
	const container = findContainer(context);
	const { settings } = context;
	const record = {
		...containerRecord(container, settings),
		files: container.files.map(({ name, type, size }) => ({ name, type, size })),
	};
	return jsonResponse(
		settings.statuses.getContainer ?? 200,
		settings.getContainerResponse === 'envelope'
			? { org_id: container.userId, container: record }
			: record,
	);
};

const deleteContainer: Operation = (context) => {
	const container = findContainer(context);
	const { settings, store } = context;
	store.containers.delete(container.uuid);
	return changeResponse(
		settings.deleteResponse,
		settings.statuses.deleteContainer ?? 200,
		'The container is deleted',
		() => containerEnvelope(container, settings),
	);
};

export const containerOperations = {
	encodeFiles,
	listContainers,
	getContainerEnvelope,
	getContainer,
	deleteContainer,
};
