import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../tools/project.cts';

// A reader finds a function by its name, sees it whole, and reads one thing in each statement.

const MAX_FUNCTION_LINES = 40;
const MAX_FILE_LINES = 220;

/** Their files have a name that says what they are in their folder. */
const SHARED_FILE_NAMES = ['index.ts', 'routes.mts'];

const houses = {
	'the nodes': ['nodes', 'credentials'],
	'the service': ['service/src'],
};

function parseSource(path: string): ts.SourceFile {
	const text = readFileSync(join(projectRoot, path), 'utf8');
	const withParents = true;
	return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, withParents);
}

function parseFolder(folder: string): ts.SourceFile[] {
	return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => /\.m?ts$/.test(name))
		.map((name) => parseSource(`${folder}/${name.replaceAll('\\', '/')}`));
}

function* nodesBelow(node: ts.Node): Generator<ts.Node> {
	yield node;
	const children: ts.Node[] = [];
	ts.forEachChild(node, (child) => void children.push(child));
	for (const child of children) yield* nodesBelow(child);
}

/** The nodes that a rule means, as `file:line`. */
function findPlaces(files: ts.SourceFile[], isMeant: (node: ts.Node) => boolean): string[] {
	return files.flatMap((file) => {
		const found = [...nodesBelow(file)].filter(isMeant);
		return found.map((node) => `${file.fileName}:${lineOf(node.getStart(), file)}`);
	});
}

function lineOf(position: number, file: ts.SourceFile): number {
	return file.getLineAndCharacterOfPosition(position).line + 1;
}

function countLines(node: ts.Node): number {
	const file = node.getSourceFile();
	return lineOf(node.getEnd(), file) - lineOf(node.getStart(), file) + 1;
}

/** `...{ a: 1 }` */
function isSpreadOfLiteral(node: ts.Node): boolean {
	return ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression);
}

/** `const [a, b] = [x, y]`, `const [a, b] = [x, y].map(parse)` */
function takesApartNewArray(node: ts.Node): boolean {
	if (!ts.isVariableDeclaration(node) || !ts.isArrayBindingPattern(node.name)) return false;
	const { initializer } = node;
	if (initializer === undefined) return false;
	if (ts.isArrayLiteralExpression(initializer)) return true;
	if (!ts.isCallExpression(initializer)) return false;
	const { expression: method } = initializer;
	return ts.isPropertyAccessExpression(method) && ts.isArrayLiteralExpression(method.expression);
}

/** `a ? b : c ? d : e` */
function isNestedConditional(node: ts.Node): boolean {
	if (!ts.isConditionalExpression(node)) return false;
	return ts.isConditionalExpression(node.whenTrue) || ts.isConditionalExpression(node.whenFalse);
}

/** Functions and constants that hold one. */
function namesAtTop(file: ts.SourceFile): string[] {
	return file.statements.flatMap((statement) => {
		if (ts.isFunctionDeclaration(statement)) return statement.name?.text ?? [];
		if (!ts.isVariableStatement(statement)) return [];
		const { declarations } = statement.declarationList;
		const functions = declarations.filter(
			({ initializer }) => initializer !== undefined && ts.isArrowFunction(initializer),
		);
		return functions.map(({ name }) => name.getText());
	});
}

/** Each name that several files have, with these files. */
function findRepeated(files: ts.SourceFile[], listNames: (file: ts.SourceFile) => string[]) {
	const users = new Map<string, string[]>();
	for (const file of files) {
		for (const name of listNames(file)) {
			users.set(name, [...(users.get(name) ?? []), file.fileName]);
		}
	}
	return [...users].filter(([, paths]) => paths.length > 1);
}

describe.each(Object.entries(houses))('in %s', (_house, folders) => {
	const files = folders.flatMap(parseFolder);

	it(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
		const isLong = (node: ts.Node) =>
			ts.isFunctionLike(node) && countLines(node) > MAX_FUNCTION_LINES;
		expect(findPlaces(files, isLong)).toEqual([]);
	});

	it(`no file has more than ${MAX_FILE_LINES} lines`, () => {
		const isLong = (file: ts.SourceFile) => countLines(file) > MAX_FILE_LINES;
		expect(files.filter(isLong).map(({ fileName }) => fileName)).toEqual([]);
	});

	it('a spread merges objects that exist', () => {
		expect(findPlaces(files, isSpreadOfLiteral)).toEqual([]);
	});

	it('a destructured array exists', () => {
		expect(findPlaces(files, takesApartNewArray)).toEqual([]);
	});

	it('no conditional expression is inside another', () => {
		expect(findPlaces(files, isNestedConditional)).toEqual([]);
	});

	it('no two functions at the top of a file have the same name', () => {
		expect(findRepeated(files, namesAtTop)).toEqual([]);
	});

	it('no two files have the same name', () => {
		const listName = ({ fileName }: ts.SourceFile) => {
			const name = basename(fileName);
			return SHARED_FILE_NAMES.includes(name) ? [] : [name];
		};
		expect(findRepeated(files, listName)).toEqual([]);
	});
});
