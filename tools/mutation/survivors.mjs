import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

const shorten = (text) => text.replace(/\s+/g, ' ').slice(0, 150);

const isDetected = ({ status }) => status === 'Killed' || status === 'Timeout';

const isUndetected = ({ status }) => status === 'Survived' || status === 'NoCoverage';

/** Prints each mutant that no test notices as soon as that is known, and a table of the files at the end. */
class Survivors {
	scores = {};

	static inject = ['options'];

	constructor({ mutate }) {
		this.paths = mutate.map((pattern) => pattern.replace('**/*.ts', ''));
	}

	onMutantTested(mutant) {
		const file = relative('', mutant.fileName);
		// Stryker also reports what it knows of other files from earlier runs.
		if (!this.paths.some((path) => file.startsWith(path))) return;
		const score = (this.scores[file] ??= { killed: 0, survived: 0 });
		if (isDetected(mutant)) score.killed += 1;
		if (!isUndetected(mutant)) return;
		score.survived += 1;
		const { start, end } = mutant.location;
		const lines = readFileSync(file, 'utf8')
			.split('\n')
			.slice(start.line - 1, end.line);
		lines.push(lines.pop().slice(0, end.column - 1));
		lines[0] = lines[0].slice(start.column - 1);
		const isCovered = mutant.status === 'Survived';
		console.log(
			`${file}:${start.line}:${start.column} ${mutant.mutatorName}${isCovered ? '' : ', not covered'}`,
		);
		console.log(`  - ${shorten(lines.join('\n'))}\n  + ${shorten(mutant.replacement)}`);
	}

	onMutationTestReportReady() {
		const total = { killed: 0, survived: 0 };
		for (const score of Object.values(this.scores)) {
			total.killed += score.killed;
			total.survived += score.survived;
		}
		const rows = Object.entries({ ...this.scores, total }).map(([file, score]) => {
			const percent = (100 * score.killed) / (score.killed + score.survived);
			return [file, { ...score, '%': percent.toFixed(1) }];
		});
		console.table(Object.fromEntries(rows));
	}
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'survivors', Survivors)];
