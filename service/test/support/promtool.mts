import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import which from 'which';
import { parse, stringify } from 'yaml';
import type { Sample } from './metrics.mts';
import { createFolder } from './service.mts';

export const MONITORING = join(import.meta.dirname, '../../monitoring');
export const RULES = join(MONITORING, 'alerts.yml');
/** In the package prometheus of Debian. */
export const wherePromtool = which.sync('promtool', { nothrow: true }) ? it : it.skip;

interface Alert {
	alert: string;
	expr: string;
	annotations: { summary: string; runbook: string };
	labels: { severity: string };
}

export function readAlerts(): Alert[] {
	const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: Array<{ rules: Alert[] }> };
	return groups.flatMap(({ rules }) => rules);
}

interface Ended {
	code: number;
	stdout: string;
	stderr: string;
}

export async function runPromtool(...args: string[]): Promise<Ended> {
	const run = promisify(execFile)('promtool', args);
	return await run.then(
		(output) => ({ ...output, code: 0 }),
		(failure: Ended) => failure,
	);
}

const MINUTES = 30;
const INSTANCE = 'test:9464';

/**
 * What Prometheus makes of a service that goes on for half an hour as it did between two looks at its metrics.
 * @returns which alerts fire then
 */
export async function findAlerts(before: Sample[], after: Sample[]): Promise<string[]> {
	const file = join(createFolder(), 'test.yml');
	// None is expected: it fails, and names those that fire.
	const none = { eval_time: `${MINUTES}m`, exp_alerts: [] };
	const wanted = readAlerts().map(({ alert }) => ({ ...none, alertname: alert }));
	const series = { interval: '1m', input_series: toSeries(before, after) };
	const tests = [{ ...series, alert_rule_test: wanted }];
	writeFileSync(file, stringify({ rule_files: [RULES], tests }, { lineWidth: 0 }));
	const { code, stdout, stderr } = await runPromtool('test', 'rules', file);
	const firing = [...`${stdout}${stderr}`.matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
	if (code !== 0 && firing.length === 0) throw new Error(`${stdout}${stderr}`);
	return firing;
}

/** What only grows goes on to grow. */
function toSeries(before: Sample[], after: Sample[]) {
	const known = new Map(before.map((sample) => [toKey(sample), sample.value]));
	return after.map((sample) => {
		const { value, isCount } = sample;
		const step = isCount ? value - (known.get(toKey(sample)) ?? 0) : 0;
		return { series: toKey(sample), values: `${value}+${step}x${MINUTES}` };
	});
}

function toKey({ name, labels }: Sample): string {
	const all = { ...labels, job: 'encrypted-containers', instance: INSTANCE };
	const pairs = Object.entries(all).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
	return `${name}{${pairs.join(',')}}`;
}
