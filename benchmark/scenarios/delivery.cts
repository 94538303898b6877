import { join } from 'node:path';
import { createRunFolder } from '../../tools/project.cts';
import { step } from '../../tools/tool.cts';
import { readProcess } from '../commandLine.cts';
import { writeRandomFile } from '../data.cts';
import { getMedian } from '../measure.cts';
import { formatSeconds, formatSize, type ScenarioResult } from '../report.cts';
import type { ScenarioContext } from '../run.cts';
import { createLoadClient, createSender, time } from './loadClient.cts';
import { readFile } from './loadUploads.cts';
import { startService } from './serviceServers.cts';

interface Measured {
	seconds: number[];
	processorSeconds: number[];
}

/** Compares a delivery by a request for files with an encode request of the same bytes. */
export async function delivery({
	settings: { rounds, largeBytes },
}: Pick<ScenarioContext, 'settings'>): Promise<ScenarioResult> {
	const folder = await createRunFolder('bench-delivery');
	const file = await writeRandomFile(join(folder, 'large'), largeBytes);
	const service = await startService(join(folder, 'service'), { MAX_UPLOAD_BYTES: '' });
	const [encodes, deliveries] = await measure(service, file, rounds).finally(service.stop);
	const ratio = (name: keyof Measured) => getMedian(deliveries[name]) / getMedian(encodes[name]);
	const size = formatSize(largeBytes);
	return {
		title: 'Files that come by a request',
		note: 'The form of a browser and an encode request, with the same file from the same client to the same service, in turn. The processor time is that of the service.',
		header: ['', 'Median', 'All rounds'],
		rows: [
			toRow(`Encode of ${size}`, encodes.seconds),
			toRow(`Delivery of ${size}`, deliveries.seconds),
			toRow(`Processor time, encode of ${size}`, encodes.processorSeconds),
			toRow(`Processor time, delivery of ${size}`, deliveries.processorSeconds),
		],
		expectations: [
			['Delivery relative to encode, time', ratio('seconds'), 1.3],
			['Delivery relative to encode, processor time', ratio('processorSeconds'), 1.3],
		],
	};
}

type Service = Awaited<ReturnType<typeof startService>>;
type RandomFile = Awaited<ReturnType<typeof writeRandomFile>>;

async function measure(service: Service, file: RandomFile, rounds: number) {
	const client = createLoadClient(service);
	const containers = `/users/${service.userId}/containers`;
	const sender = await createSender({ service, client, containers }, { maxBytes: file.size });
	const encodes: Measured = { seconds: [], processorSeconds: [] };
	const deliveries: Measured = { seconds: [], processorSeconds: [] };
	const run = async (title: string, into: Measured, work: () => Promise<{ status: number }>) => {
		const before = readProcess(service.pid).processorSeconds;
		into.seconds.push(await time(async () => await step(title, work)));
		into.processorSeconds.push(readProcess(service.pid).processorSeconds - before);
	};
	for (let round = 0; round < rounds; round += 1) {
		// The same files twice would be one delivery.
		const fileName = `${round}.bin`;
		await run('Encode', encodes, async () => {
			const manifest = { container: { name: 'Benchmark' } };
			const upload = { manifest, content: readFile(file), fileName };
			return await client.send('POST', `${containers}/encode`, { upload });
		});
		await run('Delivery', deliveries, async () => {
			return await sender.deliver({ content: readFile(file), fileName });
		});
	}
	const [error] = client.state.errors;
	if (error !== undefined) throw new Error(error);
	return [encodes, deliveries];
}

const toRow = (title: string, values: number[]): string[] => [
	title,
	formatSeconds(getMedian(values)),
	values.map(formatSeconds).join(', '),
];
