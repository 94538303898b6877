import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAlerts } from './support/promtool.mts';

const PROJECT = join(import.meta.dirname, '../..');
const SOURCES = join(import.meta.dirname, '../src');
const page = readFileSync(join(PROJECT, 'docs/on-call.md'), 'utf8');

/** A call that writes a line, and the text that it ends with. */
const CALL = /\blog(?:ged)?\.(?:trace|debug|info|warn|error|fatal)\(/g;
const MESSAGE = /^[^;]*?,\s*(?:'([^']+)'|"([^"]+)"),?\s*\)/;

function readMessages(): string[] {
	const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
	return names
		.filter((name) => name.endsWith('.mts'))
		.flatMap((name) => {
			const source = readFileSync(join(SOURCES, name), 'utf8');
			return [...source.matchAll(CALL)].map((call) => {
				const rest = source.slice(call.index + call[0].length);
				const [, single, double] = MESSAGE.exec(rest) ?? [];
				// A message that is put together can be found by nobody.
				return single ?? double ?? `${name}: ${rest.slice(0, 60)}`;
			});
		});
}

describe('the page for whoever is on call', () => {
	it('has each message of the log, and no other', () => {
		const messages = new Set(readMessages());
		expect(messages.size).toBeGreaterThan(10);
		const [, table] = page.split('## Messages of the log');
		const listed = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, message]) => message);
		// Of Fastify.
		messages.add('Server listening at …');
		expect(listed.sort()).toEqual([...messages].sort());
	});

	it('says what pages say in their words', () => {
		const english = readFileSync(join(PROJECT, 'service/pages/languages/en.json'), 'utf8');
		const row = /^\| Pages say .*$/m.exec(page)![0];
		const quoted = [...row.matchAll(/"([^"]+)"/g)].map(([, words]) => words);
		expect(quoted).toHaveLength(2);
		expect(quoted.filter((words) => !english.includes(words))).toEqual([]);
	});

	it('has a section for each alert, to which the alert leads', () => {
		const alerts = readAlerts();
		const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
		expect(sections).toEqual(alerts.map(({ alert }) => alert));
		for (const { alert, annotations } of alerts) {
			expect(annotations.runbook).toBe(`docs/on-call.md#${alert.toLowerCase()}`);
		}
	});
});
