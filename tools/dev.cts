import { prepareDemoN8n, startDemoService } from './demoService.cts';
import { consoleProgress, runTool } from './tool.cts';

/**
 * Opens n8n's editor until Ctrl+C, with the package, the sandbox as its service, the credential and all
 * example workflows.
 */
async function main() {
	const progress = consoleProgress();
	const service = await startDemoService(progress);
	const { sandbox, workflows } = service;
	const n8n = await prepareDemoN8n(service, [...workflows.keys()], progress);
	const server = await progress.step("Starting n8n's editor", n8n.start);
	const lines = [
		'The editor is open. To see a change to the package, restart.',
		'',
		`  Editor     ${server.url}`,
		`  Email      ${server.owner.email}`,
		`  Password   ${server.owner.password}`,
		'',
		`  Service    ${sandbox.url}`,
		`  API key    ${sandbox.apiKey}`,
		`  Files      ${n8n.files}`,
		'',
		'Press Ctrl+C to stop.',
	];
	process.stdout.write(`\n${lines.join('\n')}\n`);
	const { signal, code } = await server.ended;
	await sandbox.stop();
	throw new Error(`n8n ended unexpectedly (${signal ?? `exit code ${code}`}).`);
}

runTool(main);
