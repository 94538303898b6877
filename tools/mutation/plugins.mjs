import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { parse, stringify } from 'yaml';

const DESCRIPTION_TYPE =
	/\b(INodeProperties|INodePropertyOptions|INodeTypeDescription|\w*Choice)\b/;
const DEFINITION_KEYS = ['name', 'value', 'displayName', 'action', 'description'];
const EDITOR_KEYS = ['displayName', 'icon', 'documentationUrl'];

const keyOf = (property) => property.key?.name ?? property.key?.value;
const isDescription = (type) => type !== undefined && DESCRIPTION_TYPE.test(JSON.stringify(type));

/** Whether a piece of code is only what the editor shows: fields and their options, names, descriptions. */
function isEditorText(path) {
	const { node } = path;
	if (path.isObjectExpression()) {
		const keys = node.properties.map(keyOf);
		return keys.includes('displayName') || (keys.includes('value') && keys.includes('action'));
	}
	if (path.isVariableDeclarator()) {
		const outer = path.parentPath.parentPath;
		const isTopLevel = outer.isProgram() || outer.isExportNamedDeclaration();
		return isTopLevel && isDescription(node.id.typeAnnotation);
	}
	if (path.isClassProperty()) {
		return EDITOR_KEYS.includes(keyOf(node)) || isDescription(node.typeAnnotation);
	}
	const call = path.parentPath?.parentPath;
	return (
		path.isObjectProperty() &&
		DEFINITION_KEYS.includes(keyOf(node)) &&
		call?.isCallExpression() &&
		/^define(Operation|Resource)$/.test(call.node.callee.name)
	);
}

/** Whether a sample leaves out a function, or a constant, of a file: the same ones in each run of the same code. */
function isLeftOut({ node, scope, parentPath }) {
	const isOutermost =
		parentPath?.isProgram() || parentPath?.isExportDeclaration() || parentPath?.isClassBody();
	if (!process.env.MUTATION_SAMPLE || !isOutermost || node.type === 'ClassDeclaration')
		return false;
	const name = `${node.start} ${node.end} ${Object.keys(scope.getProgramParent().bindings).join()}`;
	const [byte] = createHash('sha256').update(name).digest();
	return (100 * byte) / 256 >= Number(process.env.MUTATION_SAMPLE);
}

/** Survivors that have been looked at, by file: the code, what it becomes, how many `times`, and why it stays. */
const explained = parse(readFileSync('docs/survivors.yaml', 'utf8')) ?? {};
const LOWEST_SCORE = 80;

const shorten = (text) => text.replace(/\s+/g, ' ').slice(0, 150);
const scoreOf = ({ killed, survived }) => (100 * killed) / (killed + survived);

/** The code of a mutant before and after the change. */
function describe(file, { location: { start, end }, replacement }) {
	const lines = readFileSync(file, 'utf8')
		.split('\n')
		.slice(start.line - 1, end.line);
	lines.push(lines.pop().slice(0, end.column - 1));
	lines[0] = lines[0].slice(start.column - 1);
	return { code: shorten(lines.join('\n')), becomes: shorten(replacement) };
}

/** Prints each survivor that nobody has explained as soon as it is known, and the score of each file at the end. */
class Survivors {
	static inject = ['options'];
	scores = {};
	counts = new Map();

	constructor({ mutate }) {
		this.paths = mutate.map((pattern) => pattern.replace(/(\*\*\/)?\*\.ts$/, ''));
	}

	fail(text) {
		process.exitCode = 1;
		console.log(text);
	}

	onMutantTested(mutant) {
		const file = relative('', mutant.fileName);
		// Stryker also reports what it knows of other files from earlier runs.
		if (!this.paths.some((path) => file.startsWith(path))) return;
		if (mutant.status === 'Ignored') return;
		const score = (this.scores[file] ??= { killed: 0, survived: 0 });
		if (['Killed', 'Timeout'].includes(mutant.status)) score.killed += 1;
		if (!['Survived', 'NoCoverage'].includes(mutant.status)) return;
		score.survived += 1;
		const survivor = describe(file, mutant);
		const entry = explained[file]?.find(
			({ code, becomes }) => code === survivor.code && becomes === survivor.becomes,
		);
		const count = (this.counts.get(entry) ?? 0) + 1;
		this.counts.set(entry, count);
		if (entry !== undefined && count <= (entry.times ?? 1)) return;
		const { line, column } = mutant.location.start;
		this.fail(`${file}:${line}:${column} ${mutant.mutatorName}, ${mutant.status}`);
		console.log(stringify([survivor], { indent: 2, lineWidth: 0 }).replace(/^/gm, '  ').trimEnd());
	}

	onMutationTestReportReady() {
		const total = { killed: 0, survived: 0 };
		for (const [file, score] of Object.entries(this.scores)) {
			for (const entry of explained[file] ?? []) {
				const count = this.counts.get(entry) ?? 0;
				if (process.env.MUTATION_SAMPLE || count >= (entry.times ?? 1)) continue;
				const change = `${entry.code} -> ${entry.becomes}`;
				this.fail(`${file}: docs/survivors.yaml explains more than ${count} of: ${change}`);
			}
			if (scoreOf(score) < LOWEST_SCORE) this.fail(`${file}: below ${LOWEST_SCORE} %`);
			total.killed += score.killed;
			total.survived += score.survived;
		}
		const rows = Object.entries({ ...this.scores, total }).map(([file, score]) => [
			file,
			{ ...score, '%': scoreOf(score).toFixed(1) },
		]);
		console.table(Object.fromEntries(rows));
	}
}

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'editor texts', {
		shouldIgnore: (path) => (isEditorText(path) ? 'Only shown in the editor' : undefined),
	}),
	declareValuePlugin(PluginKind.Ignore, 'sample', {
		shouldIgnore: (path) => (isLeftOut(path) ? 'Not in the sample' : undefined),
	}),
	declareClassPlugin(PluginKind.Reporter, 'survivors', Survivors),
];
