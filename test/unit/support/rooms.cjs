/** The rules for imports in nodes/ and credentials/, for dependency-cruiser. Imports of types count as well. */
const node = 'nodes/EncryptedContainers/';
const trigger = 'nodes/EncryptedContainersTrigger/';
const shared = 'nodes/shared/';

/** Rooms from the ground up: each may import itself and the floors below, but nothing beside it. */
const floors = {
	[shared]: [['errors', 'descriptions', 'responses'], ['parameters'], ['client'], ['api']],
	[node]: [['descriptions'], ['parameters'], ['execution'], ['listSearch', 'resources']],
};

const upward = Object.entries(floors)
	.flatMap(([house, rooms]) =>
		rooms.flatMap((floor, index) =>
			floor.map((room) => {
				const closed = [
					...floor.filter((other) => other !== room),
					...rooms.slice(index + 1).flat(),
				];
				return {
					name: `${room}-imports-downward`,
					severity: 'error',
					from: { path: `^${house}${room}/` },
					to: { path: `^${house}(${closed.join('|')})/` },
				};
			}),
		),
	)
	.filter(({ to }) => !to.path.includes('()'));

module.exports = {
	forbidden: [
		{ name: 'no-circle-of-files', severity: 'error', from: {}, to: { circular: true } },
		{
			name: 'no-circle-of-folders',
			severity: 'error',
			scope: 'folder',
			from: {},
			to: { circular: true },
		},
		{
			name: 'shared-imports-no-node',
			severity: 'error',
			from: { path: `^${shared}` },
			to: { path: `^(${node}|${trigger}|credentials/)` },
		},
		{
			name: 'node-imports-no-trigger',
			severity: 'error',
			from: { path: `^${node}` },
			to: { path: `^(${trigger}|credentials/)` },
		},
		{
			name: 'trigger-imports-no-node',
			severity: 'error',
			from: { path: `^${trigger}` },
			to: { path: `^(${node}|credentials/)` },
		},
		{
			name: 'credential-imports-shared-only',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: `^(${node}|${trigger})` },
		},
		{
			name: 'operations-import-no-other-resource',
			severity: 'error',
			from: { path: `^${node}resources/([^/]+)/` },
			to: { path: `^${node}resources/[^/]+/`, pathNot: `^${node}resources/$1/` },
		},
		{
			name: 'events-import-no-poll',
			severity: 'error',
			from: { path: `^${trigger}(events|types|diff|fingerprint|parameters|pollState|fetch)` },
			to: { path: `^${trigger}(poll|properties)\\.ts$` },
		},
		...upward,
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		includeOnly: '^(nodes|credentials)/',
	},
};
