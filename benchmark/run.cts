import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { consoleProgress } from '../tools/progress.cts';
import { runTool } from '../tools/runTool.cts';
import { describeMachine } from './machine.cts';
import { contacts } from './parts/contacts.cts';
import { files } from './parts/files.cts';
import { limit } from './parts/limit.cts';
import type { Part } from './parts/part.cts';
import { upload } from './parts/upload.cts';
import { isMet, markdown, type PartResult } from './report.cts';
import { HELP, readSettings, type PartName } from './settings.cts';
import { packForStages, setUpStage, type Stage } from './stage.cts';

const PARTS: Record<PartName, Part> = { upload, contacts, files, limit };

/** Measures what the settings ask for and prints the report; a missed expectation is told, not an error. */
async function main(): Promise<void> {
	const settings = readSettings(process.env, process.argv.slice(2));
	if (settings === undefined) {
		process.stdout.write(HELP);
		return;
	}
	const progress = consoleProgress();
	const tarball = await packForStages(settings.build, progress);
	const stages: Stage[] = [];
	const anotherStage = async () => {
		const made = await setUpStage(tarball, progress);
		stages.push(made);
		return made;
	};
	try {
		const stage = await anotherStage();
		const results: PartResult[] = [];
		for (const name of settings.parts) {
			results.push(await PARTS[name]({ stage, settings, progress, anotherStage }));
		}
		const report = markdown(describeMachine(stage.n8n.installed), results);
		process.stdout.write(`\n${report}\n`);
		if (settings.save) await writeFile(join(__dirname, 'results.md'), report);
		const missed = results.flatMap((one) => one.expectations).filter((one) => isMet(one) === false);
		progress.note(missed.length === 0 ? 'Nothing was missed.' : `Missed: ${missed.length}.`);
	} finally {
		for (const stage of stages) await stage.close();
	}
}

runTool(main);
