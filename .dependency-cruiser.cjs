/** The rules for imports in nodes/, credentials/ and service/ (npm run lint:imports). Imports of types count as well. */
const node = 'nodes/EncryptedContainers/';
/** Comparing every few minutes; waiting at the service. */
const trigger = 'nodes/EncryptedContainers(Instant)?Trigger/';
const shared = 'nodes/shared/';
const published = '^(nodes|credentials)/';
const service = 'service/src/';
/** What any room of the service can import. */
const serviceGround = 'contract|errors|writeWhole';

/** The rooms of each house, floor by floor from the ground up: each imports itself and the floors below, nothing beside it. */
const floors = {
	[shared]: [['errors', 'descriptions', 'responses'], ['parameters'], ['client'], ['api']],
	[node]: [['descriptions'], ['parameters'], ['execution'], ['listSearch', 'resources']],
	[service]: [
		['brand', 'database', 'mail', 'storage', 'viewing', 'web'],
		['containers'],
		['requests'],
		['api', 'open'],
		['operate', 'metrics'],
	],
};

const toPath = (paths) => (typeof paths === 'string' ? { path: paths } : paths);

/** @param from, to paths that match a regular expression, or more conditions */
const forbid = (name, from, to, more = {}) => ({
	name,
	severity: 'error',
	from: toPath(from),
	to: toPath(to),
	...more,
});

/** A rule for each room that has one beside or above it. */
const upward = [];
/** A rule for each house: a new room needs its floor here. */
const rooms = [];
for (const [house, levels] of Object.entries(floors)) {
	for (const [level, floor] of levels.entries()) {
		for (const room of floor) {
			const beside = floor.filter((other) => other !== room);
			const above = levels.slice(level + 1).flat();
			const closed = [...beside, ...above].join('|');
			if (closed === '') continue;
			const name = `${room}-imports-downward`;
			upward.push(forbid(name, `^${house}${room}/`, `^${house}(${closed})/`));
		}
	}
	const known = levels.flat().join('|');
	const unknown = { path: `^${house}[^/]+/`, pathNot: `^${house}(${known})/` };
	rooms.push(forbid('every-room-has-a-floor', {}, unknown));
}

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
		// What is beside the folders of the pages is about all of them.
		forbid('ground-of-open-imports-no-folder', `^${service}open/(?!routes)[^/]+$`, {
			path: `^${service}open/[^/]+/`,
		}),
		forbid(
			'signing-in-imports-no-files',
			`^${service}open/signIn/`,
			`^${service}open/(view|send)/`,
		),
		forbid('viewing-imports-no-sending', `^${service}open/view/`, `^${service}open/(signIn|send)/`),
		forbid('sending-imports-no-viewing', `^${service}open/send/`, `^${service}open/view/`),
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
		...rooms,
	],
	options: {
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		doNotFollow: { path: 'node_modules' },
	},
};
