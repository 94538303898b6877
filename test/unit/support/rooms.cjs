/** The rules for imports in nodes/ and credentials/, for dependency-cruiser. Imports of types count as well. */
const node = 'nodes/EncryptedContainers/';
const trigger = 'nodes/EncryptedContainersTrigger/';
const shared = 'nodes/shared/';

/** Rooms from the ground up: each may import itself and the floors below, but nothing beside it. */
const floors = {
	[shared]: [['errors', 'descriptions', 'responses'], ['parameters'], ['client'], ['api']],
	[node]: [['descriptions'], ['parameters'], ['execution'], ['listSearch', 'resources']],
};

const forbid = (name, from, to, more = {}) => ({
	...{ name, severity: 'error', ...more },
	...{ from: typeof from === 'string' ? { path: from } : from },
	...{ to: typeof to === 'string' ? { path: to } : to },
});

const upward = Object.entries(floors).flatMap(([house, rooms]) =>
	rooms.flatMap((floor, index) =>
		floor.flatMap((room) => {
			const beside = floor.filter((other) => other !== room);
			const closed = [...beside, ...rooms.slice(index + 1).flat()].join('|');
			if (closed === '') return [];
			return forbid(`${room}-imports-downward`, `^${house}${room}/`, `^${house}(${closed})/`);
		}),
	),
);

module.exports = {
	forbidden: [
		forbid('no-circle-of-files', {}, { circular: true }),
		forbid('no-circle-of-folders', {}, { circular: true }, { scope: 'folder' }),
		forbid('shared-imports-no-node', `^${shared}`, `^(${node}|${trigger}|credentials/)`),
		forbid('node-imports-no-trigger', `^${node}`, `^(${trigger}|credentials/)`),
		forbid('trigger-imports-no-node', `^${trigger}`, `^(${node}|credentials/)`),
		forbid('credential-imports-shared-only', '^credentials/', `^(${node}|${trigger})`),
		forbid('operations-import-no-other-resource', `^${node}resources/([^/]+)/`, {
			path: `^${node}resources/[^/]+/`,
			pathNot: `^${node}resources/$1/`,
		}),
		forbid(
			'events-import-no-poll',
			`^${trigger}(events|types|diff|missing|parameters|pollState|fetch)`,
			`^${trigger}(poll|properties)\\.ts$`,
		),
		...upward,
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		includeOnly: '^(nodes|credentials)/',
	},
};
