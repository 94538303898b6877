import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { parse, stringify } from 'yaml';

/** Survivors that have been looked at, by file: the code, what it becomes, how many `times`, and why it stays. */
const explained = parse(readFileSync('docs/survivors.yaml', 'utf8')) ?? {};

const shorten = (text) => text.replace(/\s+/g, ' ').slice(0, 150);

const isDetected = ({ status }) => status === 'Killed' || status === 'Timeout';

const isUndetected = ({ status }) => status === 'Survived' || status === 'NoCoverage';

const lowestScore = 80;

const isSame = (one, other) => one.code === other.code && one.becomes === other.becomes;

const scoreOf = ({ killed, survived }) => (100 * killed) / (killed + survived);

/** Prints each survivor that nobody has explained as soon as it is known, and the score of each file at the end. */
class Survivors {
	scores = {};

	counts = new Map();

	started = Date.now();

	static inject = ['options'];

	constructor({ mutate }) {
		this.paths = mutate.map((pattern) => pattern.replace(/(\*\*\/)?\*\.ts$/, ''));
	}

	onMutantTested(mutant) {
		const file = relative('', mutant.fileName);
		// Stryker also reports what it knows of other files from earlier runs.
		if (!this.paths.some((path) => file.startsWith(path))) return;
		const score = (this.scores[file] ??= { killed: 0, survived: 0 });
		if (isDetected(mutant)) score.killed += 1;
		if (!isUndetected(mutant)) return;
		score.survived += 1;
		const survivor = this.describe(file, mutant);
		const entry = explained[file]?.find((one) => isSame(one, survivor));
		const count = (this.counts.get(entry) ?? 0) + 1;
		this.counts.set(entry, count);
		if (entry !== undefined && count <= (entry.times ?? 1)) return;
		process.exitCode = 1;
		const { line, column } = mutant.location.start;
		const isCovered = mutant.status === 'Survived';
		console.log(
			`${file}:${line}:${column} ${mutant.mutatorName}${isCovered ? '' : ', not covered'}`,
		);
		console.log(stringify([survivor], { indent: 2, lineWidth: 0 }).replace(/^/gm, '  ').trimEnd());
	}

	describe(file, { location: { start, end }, replacement }) {
		const lines = readFileSync(file, 'utf8')
			.split('\n')
			.slice(start.line - 1, end.line);
		lines.push(lines.pop().slice(0, end.column - 1));
		lines[0] = lines[0].slice(start.column - 1);
		return { code: shorten(lines.join('\n')), becomes: shorten(replacement) };
	}

	onMutationTestReportReady() {
		for (const file of Object.keys(this.scores)) {
			for (const entry of explained[file] ?? []) {
				const count = this.counts.get(entry) ?? 0;
				if (count >= (entry.times ?? 1)) continue;
				process.exitCode = 1;
				console.log(
					`${file}: docs/survivors.yaml explains more than ${count} of: ${entry.code} -> ${entry.becomes}`,
				);
			}
		}
		const total = { killed: 0, survived: 0 };
		for (const [file, score] of Object.entries(this.scores)) {
			total.killed += score.killed;
			total.survived += score.survived;
			if (scoreOf(score) < lowestScore) {
				process.exitCode = 1;
				console.log(`${file}: below ${lowestScore} %`);
			}
		}
		const rows = Object.entries({ ...this.scores, total }).map(([file, score]) => [
			file,
			{ ...score, '%': scoreOf(score).toFixed(1) },
		]);
		console.table(Object.fromEntries(rows));
		console.log(`${Math.round((Date.now() - this.started) / 1000)} s`);
	}
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'survivors', Survivors)];
