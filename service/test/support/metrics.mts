import { request } from 'undici';
import { getFreePort } from '../../../tools/processes.cts';
import { startService } from './service.mts';

export interface Sample {
	name: string;
	/** Whether it only grows. */
	isCount: boolean;
	labels: Record<string, string>;
	value: number;
}

/** Starts a service that tells its metrics. */
export const startMeasuredService = async (env: Record<string, string> = {}) =>
	await measure(async (settings) => await startService({ env: { ...settings, ...env } }));

/** @param start gets the settings for it */
export async function measure<Started>(start: (env: Record<string, string>) => Promise<Started>) {
	const METRICS_PORT = String(await getFreePort());
	const service = await start({ METRICS_PORT });
	const metricsUrl = `http://127.0.0.1:${METRICS_PORT}/metrics`;
	return { service, metricsUrl, read: async () => parseMetrics(await scrape(metricsUrl)) };
}

async function scrape(url: string): Promise<string> {
	const { body } = await request(url);
	return await body.text();
}

/** Reads the text format of Prometheus. */
function parseMetrics(text: string): Sample[] {
	const types = new Map(
		[...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type] as const),
	);
	const lines = text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm);
	return [...lines].map(([, name, list = '', value]) => {
		const pairs = [...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
		const labels = Object.fromEntries(pairs.map(([, label, content]) => [label, content]));
		const isCount = types.get(name) !== 'gauge';
		return { name, isCount, labels, value: Number(value.replace('Inf', 'Infinity')) };
	});
}

/** The sum of all that have these labels; undefined where there is none. */
export function find(samples: Sample[], name: string, labels: Record<string, string> = {}) {
	const wanted = Object.entries(labels);
	const found = samples.filter(
		(sample) => sample.name === name && wanted.every(([label, is]) => sample.labels[label] === is),
	);
	return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
