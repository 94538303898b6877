import { randomBytes } from 'node:crypto';
import { useCommandLine } from '../../benchmark/commandLine.cts';
import { getN8nVersion } from '../../tools/realN8n/installN8n.cts';
import { buildWorkflow, START } from '../../tools/realN8n/workflow.cts';
import { containers, describeFile, e2e } from './support/exampleEnvironment.cts';

/** Where n8n can keep files without a license, and how their IDs begin. n8n 1 has no database for them. */
const MODES: Array<[mode: string, kept: string | undefined]> = [
	['default', undefined],
	['filesystem', 'filesystem'],
];
if (getN8nVersion().name !== '1') MODES.push(['database', 'database']);

it.each(MODES)(
	'files come back byte for byte, and are sent again, in the binary mode %s',
	async (mode, kept) => {
		const { n8n, node, service } = e2e;
		const contents = { 'empty.txt': Buffer.alloc(0), 'scan.pdf': randomBytes(3_000_000) };
		const files = Object.entries(contents).map(([name, content]) => ({ name, content }));
		const value = await service.addContainer({
			name: 'Sent',
			files: files.map(({ name, content }) => new File([content], name)),
		});
		const containerId = { __rl: true, mode: 'id', value };
		const again = { name: 'Sent again', recipients: 'ada@example.com', containerMode: 'allItems' };
		const workflow = buildWorkflow([
			START,
			node('Download', { resource: 'container', operation: 'decode', containerId }),
			node('Encode', { resource: 'container', operation: 'encode', ...again }),
		]);
		const { importWorkflows, execute } = useCommandLine(n8n);
		await importWorkflows([workflow]);

		const execution = await execute(workflow.id, { N8N_DEFAULT_BINARY_DATA_MODE: mode });

		expect(execution.error).toBeUndefined();
		const ids = execution.binaries('Download').map(({ data }) => data.id);
		expect(ids).toEqual(files.map(() => kept && expect.stringMatching(`^${kept}`)));
		const digests = files.map(describeFile);
		expect(await containers()).toMatchObject([
			{ name: 'Sent', files: digests },
			{ name: 'Sent again', files: digests },
		]);
	},
);
