import type { SandboxSettings } from '../../../../sandbox/index.cts';

/** Services that differ at as many open points as possible. Each has a folder with its answers in `answers/`. */
export const SHAPES: Record<string, Partial<SandboxSettings>> = {
	plain: {},
	wrapped: {
		containerList: 'items',
		contactList: 'data',
		listEntries: 'record',
		getContainerResponse: 'record',
		containerFields: { status: 'ready', storage: { bucket: 'acme-vault', id: 4711 } },
		drmShape: 'drm',
		drmFields: { version: 3, updated_by: 'Vera Vault' },
		drmTimes: 'timestamp',
		patchDrmResponse: 'empty',
		patchContactResponse: 'message',
		deleteResponse: 'text',
		errorShape: 'nested',
		statuses: { encodeFiles: 201, createContact: 201 },
	},
	paged: {
		pageSize: 2,
		nextLink: 'relative',
		listOrder: 'shuffled',
		containerList: 'results',
		filterByQuery: true,
		errorShape: 'list',
		dates: 'seconds',
	},
	replacing: {
		patchDrmKeys: 'replace',
		patchContactKeys: 'replace',
		patchDrmResponse: 'noContent',
		patchContactResponse: 'noContent',
		deleteResponse: 'message',
		errorShape: 'text',
		dates: 'none',
	},
	strict: {
		otherUsers: 'notFound',
		contactFields: ['first_name', 'last_name', 'company', 'phone_number'],
		requiredManifestFields: ['name', 'recipients', 'drm'],
		deleteResponse: 'record',
		errorShape: 'html',
	},
	busy: {
		rateLimit: { perMinute: 12, windowMs: 1500, retryAfter: 'seconds' },
		patchDrmResponse: 'text',
		patchContactResponse: 'text',
		deleteResponse: 'empty',
		errorShape: 'empty',
	},
};
