import { Writable } from 'node:stream';
import runAll from 'npm-run-all2';

/** The lines of a script's output that tell its result, where it prints any. */
const TOTALS = /^(Tests|Test Suites|Time): /;

/**
 * Runs the scripts whose names match the patterns of the command line, all at the same time. Each line of their output
 * begins with the name of its script. The last lines say how each of them ended.
 */
async function main(patterns) {
	const totals = [];
	let rest = '';
	const output = new Writable({
		write(chunk, _encoding, done) {
			const lines = (rest + chunk).split('\n');
			rest = lines.pop();
			for (const line of lines) {
				const [, label, text] = /^\[(.+?)\s*\] (.*)$/.exec(line) ?? [];
				if (TOTALS.test(text)) totals.push(`${label}: ${text}`);
			}
			process.stdout.write(chunk, done);
		},
	});
	output.setMaxListeners(0);
	const options = { parallel: true, continueOnError: true, printLabel: true };
	const results = await runAll(patterns, { ...options, stdout: output, stderr: output }).catch(
		(error) => error.results ?? Promise.reject(error),
	);
	const width = Math.max(...results.map(({ name }) => name.length));
	const lines = results.map(({ name, code }) => {
		const end = code === 0 ? 'passed' : 'FAILED: see the lines above that begin with its name';
		return `${name.padEnd(width)}  ${end}`;
	});
	process.stdout.write(`\n${[...totals, ...lines].join('\n')}\n`);
	if (results.some(({ code }) => code !== 0)) process.exitCode = 1;
}

await main(process.argv.slice(2));
