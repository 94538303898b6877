import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../tools/project.cts';

/** What is logged or shown beside items; `redactLine` makes one plain line of at most 500 characters of each text. */
const SINK = /\.logger\.\w+$|(^|\.)addExecutionHints?$/;
/** Beside it, what the service has no part in. */
const OWN_TEXT = /(^|\.)redactLine\(|^node\.name$|^[A-Z][A-Z_]*$|(^|\.)(length|size|count)$/;
/** An error of n8n cleans nothing; the functions in nodeErrors.ts do. */
const NODE_ERROR = /^Node(Api|Operation)Error$/;
/** The only places that build one. */
const ERROR_PLACES = ['nodes/shared/errors/nodeErrors.ts'];

function* getNodes(node: ts.Node): Generator<ts.Node> {
	yield node;
	for (const child of node.getChildren()) yield* getNodes(child);
}

/** The values in a text: of templates, of sums, and the text itself where it is a value. */
function* getValues(node: ts.Expression): Generator<ts.Expression> {
	if (ts.isTemplateExpression(node)) {
		for (const { expression } of node.templateSpans) yield* getValues(expression);
	} else if (ts.isConditionalExpression(node)) {
		yield* getValues(node.whenTrue);
		yield* getValues(node.whenFalse);
	} else if (ts.isBinaryExpression(node)) {
		yield* getValues(node.left);
		yield* getValues(node.right);
	} else if (ts.isObjectLiteralExpression(node)) {
		for (const property of node.properties) {
			if (ts.isPropertyAssignment(property)) yield* getValues(property.initializer);
			else if (ts.isShorthandPropertyAssignment(property)) yield property.name;
		}
	} else if (ts.isArrayLiteralExpression(node)) {
		for (const element of node.elements) yield* getValues(element);
	} else if (!ts.isStringLiteralLike(node) && !ts.isNumericLiteral(node)) {
		yield node;
	}
}

/** How many sinks a file has, the values of others that go into them, and the errors of n8n that it builds. */
function findPlaces(file: string, text: string) {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const found = { sinks: 0, raw: [] as string[], nodeErrors: [] as string[] };
	for (const node of getNodes(source)) {
		if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) continue;
		const callee = node.expression.getText();
		if (ts.isNewExpression(node) && NODE_ERROR.test(callee) && !ERROR_PLACES.includes(file)) {
			found.nodeErrors.push(`${file}: ${callee}`);
		}
		if (!SINK.test(callee)) continue;
		found.sinks += 1;
		const values = (node.arguments ?? []).flatMap((argument) => [...getValues(argument)]);
		const texts = values.map((value) => value.getText()).filter((value) => !OWN_TEXT.test(value));
		found.raw.push(...texts.map((value) => `${file}: ${value}`));
	}
	return found;
}

describe('text of the service', () => {
	const all = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => `${folder}/${name}`)
			.map((file) => findPlaces(file, readFileSync(join(projectRoot, file), 'utf8'))),
	);

	it('is a plain line wherever it is logged or shown beside items', () => {
		expect(all.reduce((sum, { sinks }) => sum + sinks, 0)).toBeGreaterThan(0);
		expect(all.flatMap(({ raw }) => raw)).toEqual([]);
	});

	it('is in errors that one file builds and cleans', () => {
		expect(all.flatMap(({ nodeErrors }) => nodeErrors)).toEqual([]);
	});
});
