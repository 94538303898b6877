/** The rules for imports in nodes/, credentials/ and service/ (npm run lint:imports). Imports of types count as well. */
const node = 'nodes/EncryptedContainers/';
const trigger = 'nodes/EncryptedContainersTrigger/';
const shared = 'nodes/shared/';
const published = '^(nodes|credentials)/';
const service = 'service/src/';
/** What any room of the service can import. */
const serviceGround = 'contract|errors|writeWhole';

/** Rooms from the ground up: each may import itself and the floors below, but nothing beside it. */
const floors = {
	[shared]: [['errors', 'descriptions', 'responses'], ['parameters'], ['client'], ['api']],
	[node]: [['descriptions'], ['parameters'], ['execution'], ['listSearch', 'resources']],
	[service]: [['database', 'storage', 'mail'], ['containers'], ['api', 'open'], ['operate']],
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
		forbid('no-circle-of-files', `${published}|^${service}`, { circular: true }),
		// The files beside the rooms of the service are its roof, and a few its ground.
		forbid('no-circle-of-folders', published, { circular: true }, { scope: 'folder' }),
		forbid('published-needs-only-n8n-workflow-and-crypto', published, {
			pathNot: `${published}|^crypto$|(^|/)node_modules/n8n-workflow/`,
		}),
		forbid('service-imports-nothing-published', '^service/', published),
		forbid('published-imports-no-service', published, '^service/'),
		forbid('rooms-of-the-service-import-no-roof', `^${service}(?!operate/)[^/]+/`, {
			path: `^${service}[^/]+$`,
			pathNot: `^${service}(${serviceGround})\\.mts$`,
		}),
		// Commands open what the service opens, but start no server.
		forbid('operate-imports-no-server', `^${service}operate/`, `^${service}(main|start|server)`),
		forbid('ground-of-the-service-imports-no-room', `^${service}(${serviceGround})\\.mts$`, {
			path: `^${service}`,
			pathNot: `^${service}(${serviceGround})\\.mts$`,
		}),
		forbid(
			'server-imports-no-command-line',
			`^${service}(server|start)`,
			`^${service}(main|operate/commands)`,
		),
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
			`^${trigger}(events|parameters)`,
			`^${trigger}(poll|createPoll|activity|reading)\\.ts$`,
		),
		...upward,
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		doNotFollow: { path: 'node_modules' },
	},
};
