import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { parse, stringify } from 'yaml';

const sample = process.env.MUTATION_SAMPLE;

const DESCRIPTION_TYPE =
	/\b(INodeProperties|INodePropertyOptions|INodeTypeDescription|\w*Choice)\b/;
const EDITOR_KEYS = ['displayName', 'icon', 'documentationUrl'];
const DEFINITION_KEYS = ['name', 'value', 'displayName', 'action', 'description'];

const keyOf = (property) => property.key?.name ?? property.key?.value;
const isDescription = (type) => type !== undefined && DESCRIPTION_TYPE.test(JSON.stringify(type));

/** Whether a piece of code is only what the editor shows: fields and their options, names, descriptions. */
function isEditorText(path) {
	const { node } = path;
	if (path.isObjectExpression()) {
		const keys = node.properties.map(keyOf);
		return keys.includes('displayName') || (keys.includes('value') && keys.includes('action'));
	}
	if (path.isVariableDeclarator()) return isDescription(node.id.typeAnnotation);
	if (path.isClassProperty()) {
		return EDITOR_KEYS.includes(keyOf(node)) || isDescription(node.typeAnnotation);
	}
	if (!path.isObjectProperty() || !DEFINITION_KEYS.includes(keyOf(node))) return false;
	const call = path.parentPath.parentPath;
	return call.isCallExpression() && /^define(Operation|Resource)$/.test(call.node.callee.name);
}

/** Whether a sample leaves out a function, or a constant, of a file: the same ones in each run of the same code. */
function isLeftOut({ node, scope, parentPath }) {
	const isOutermost =
		parentPath?.isProgram() || parentPath?.isExportDeclaration() || parentPath?.isClassBody();
	if (!sample || !isOutermost || node.type === 'ClassDeclaration') return false;
	const name = `${node.start} ${node.end} ${Object.keys(scope.getProgramParent().bindings).join()}`;
	const [byte] = createHash('sha256').update(name).digest();
	return (100 * byte) / 256 >= Number(sample);
}

/** Survivors that have been looked at, by file: the code, what it becomes, how many `times`, and why it stays. */
const explained = parse(readFileSync('docs/survivors.yaml', 'utf8')) ?? {};
const LOWEST_SCORE = 80;

const shorten = (text) => text.replace(/\s+/g, ' ').slice(0, 150);

/** The code of a mutant before and after the change. */
function describe(source, { location: { start, end }, replacement }) {
	const lines = source.split('\n').slice(start.line - 1, end.line);
	lines.push(lines.pop().slice(0, end.column - 1));
	lines[0] = lines[0].slice(start.column - 1);
	return { code: shorten(lines.join('\n')), becomes: shorten(replacement) };
}

function fail(text) {
	process.exitCode = 1;
	console.log(text);
}

/** Prints each survivor that nobody has explained, and what else is wrong with a file. @returns its score */
function checkFile(file, { source, mutants }) {
	const withStatus = (...statuses) => mutants.filter(({ status }) => statuses.includes(status));
	const survivors = withStatus('Survived', 'NoCoverage');
	const remaining = (explained[file] ?? []).flatMap((entry) => Array(entry.times ?? 1).fill(entry));
	for (const mutant of survivors) {
		const survivor = describe(source, mutant);
		const index = remaining.findIndex(
			({ code, becomes }) => code === survivor.code && becomes === survivor.becomes,
		);
		if (index >= 0) {
			remaining.splice(index, 1);
			continue;
		}
		const { line, column } = mutant.location.start;
		fail(`${file}:${line}:${column} ${mutant.mutatorName}, ${mutant.status}`);
		console.log(stringify([survivor], { indent: 2, lineWidth: 0 }).replace(/^/gm, '  ').trimEnd());
	}
	for (const { code, becomes } of sample ? [] : remaining) {
		fail(`${file}: docs/survivors.yaml explains one that is gone: ${code} -> ${becomes}`);
	}
	const [killed, survived] = [withStatus('Killed', 'Timeout').length, survivors.length];
	const score = (100 * killed) / (killed + survived);
	if (score < LOWEST_SCORE) fail(`${file}: below ${LOWEST_SCORE} %`);
	return { killed, survived, '%': score.toFixed(1) };
}

class Survivors {
	onMutationTestReportReady({ files }, { systemUnderTestMetrics: { metrics } }) {
		// Stryker also reports what it knows of a file that is gone.
		const isTested = ([file, { mutants }]) =>
			existsSync(file) && mutants.some(({ status }) => status !== 'Ignored');
		const tested = Object.entries(files).filter(isTested);
		const rows = tested.map(([file, result]) => [file, checkFile(file, result)]);
		console.table(Object.fromEntries(rows));
		console.log(`Together: ${metrics.mutationScore.toFixed(1)} %`);
	}
}

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'skip', {
		shouldIgnore: (path) => (isEditorText(path) || isLeftOut(path) ? 'not tested' : undefined),
	}),
	declareClassPlugin(PluginKind.Reporter, 'survivors', Survivors),
];
