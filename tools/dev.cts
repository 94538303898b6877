import { consoleProgress } from './progress.cts';
import { runTool } from './runTool.cts';
import { setUpStage } from './stage.cts';

/**
 * Opens n8n's editor with the package in it, the sandbox as its service, the credential and all
 * example workflows, until Ctrl-C.
 */
async function main() {
	const progress = consoleProgress();
	const stage = await setUpStage(() => true, progress);
	const server = await progress.step("Starting n8n's editor", async () => await stage.n8n.start());
	const lines = [
		'The editor is open. Changes to the package need another start.',
		'',
		`  Editor     ${server.url}`,
		`  E-mail     ${server.owner.email}`,
		`  Password   ${server.owner.password}`,
		'',
		`  Service    ${stage.sandbox.url}`,
		`  API key    ${stage.sandbox.apiKey}`,
		`  Files      ${stage.n8n.files}`,
		'',
		'Ctrl-C ends it.',
	];
	process.stdout.write(`\n${lines.join('\n')}\n`);
	const end = await server.ended;
	await stage.close();
	throw new Error(`n8n ended by itself (${end.signal ?? `exit code ${end.code}`}).`);
}

runTool(main);
