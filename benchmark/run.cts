import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packPackage, createRunFolder } from '../tools/project.cts';
import { consoleProgress, runTool } from '../tools/tool.cts';
import { startBenchmarkEnvironment, type BenchmarkEnvironment } from './environment.cts';
import { describeMachine } from './machine.cts';
import { createReport, isMet, type ScenarioResult } from './report.cts';
import { blocking } from './scenarios/blocking.cts';
import { bombs } from './scenarios/bombs.cts';
import { contacts } from './scenarios/contacts.cts';
import { expressions } from './scenarios/expressions.cts';
import { files } from './scenarios/files.cts';
import { limit } from './scenarios/limit.cts';
import { responsiveness } from './scenarios/responsiveness.cts';
import type { Scenario } from './scenarios/scenario.cts';
import { sync } from './scenarios/sync.cts';
import { upload } from './scenarios/upload.cts';
import { HELP, parseSettings, type ScenarioName } from './settings.cts';

const SCENARIOS: Record<ScenarioName, Scenario> = {
	upload,
	contacts,
	sync,
	files,
	expressions,
	responsiveness,
	blocking,
	bombs,
	limit,
};

/** Measures the selected scenarios and prints the report. A missed expectation is not an error. */
async function main(): Promise<void> {
	const settings = parseSettings(process.env, process.argv.slice(2));
	if (settings === undefined) {
		process.stdout.write(HELP);
		return;
	}
	const progress = consoleProgress();
	const tarball = await packPackage(await createRunFolder('bench-package'), progress);
	const environments: BenchmarkEnvironment[] = [];
	const startEnvironment = async () => {
		const started = await startBenchmarkEnvironment(tarball, progress);
		environments.push(started);
		return started;
	};
	try {
		const environment = await startEnvironment();
		const results: ScenarioResult[] = [];
		for (const name of settings.scenarios) {
			results.push(await SCENARIOS[name]({ environment, settings, progress, startEnvironment }));
		}
		const report = await createReport(describeMachine(environment.n8n.installed), results);
		process.stdout.write(`\n${report}\n`);
		if (settings.save) await writeFile(join(__dirname, 'results.md'), report);
		const expectations = results.flatMap((result) => result.expectations);
		const missed = expectations.filter((expectation) => isMet(expectation) === false);
		progress.log(`Missed expectations: ${missed.length}`);
	} finally {
		for (const environment of environments) await environment.stop();
	}
}

runTool(main);
