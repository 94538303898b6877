import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { make, type PartInfo } from 'multipasta';
import stringify from 'safe-stable-stringify';
import type { Check } from '../contract.mts';
import { assertValid, attempt, invalid, malformed, tooLarge } from '../errors.mts';
import { findChangedRules, findRuleProblems, mergeRules, type DrmRules } from './rules.mts';
import type { StoredFile } from './seal.mts';

const FILE_PARTS = new Map([
	['manifest.json', 'file'],
	['manifest', 'files'],
]);
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 10_000;
const MAX_NAME_CHARACTERS = 255;
const SILENCE_MS = 60_000;

export type UploadOptions = { checkManifest: Check; maxUploadBytes: number };
type Manifest = ReturnType<typeof parseManifest>;

/** Reads a form as far as its manifest. To read `content` adds the files to the table. @throws ServiceError */
export async function readUpload(body: Readable, contentType: string, options: UploadOptions) {
	const files: StoredFile[] = [];
	const pieces: Uint8Array[] = [];
	const state: { manifest?: Manifest; filePart?: string; isWhole?: boolean } = {};
	const parser = make({
		headers: { 'content-type': contentType },
		maxFieldSize: MAX_MANIFEST_BYTES,
		isFile: (part) => !FILE_PARTS.has(parseDisposition(part).name),
		onField(part, bytes) {
			if (state.manifest) throw malformed('The form has two manifests.');
			state.manifest = parseManifest(bytes, options.checkManifest);
			state.filePart = FILE_PARTS.get(parseDisposition(part).name);
			// The first piece tells that the manifest is there.
			pieces.push(new Uint8Array());
		},
		onFile(part) {
			const { manifest, filePart } = state;
			if (!manifest) throw malformed('The first part must be named "manifest.json".');
			if (parseDisposition(part).name !== filePart)
				throw malformed(`The part after the manifest must be named "${filePart}".`);
			const [file, hash] = [toStoredFile(part, files, manifest), createHash('sha256')];
			files.push(file);
			return (piece) => {
				if (piece === null) return void (file.sha256 = hash.digest('hex'));
				hash.update(piece);
				file.size += piece.length;
				pieces.push(piece);
			};
		},
		onError(error) {
			if (error._tag === 'ReachedLimit') throw tooLarge('manifest', MAX_MANIFEST_BYTES);
			throw malformed(`The form can't be read (${error._tag}).`);
		},
		onDone: () => (state.isWhole = true),
	});
	const content = readFiles();
	await content.next();
	return { manifest: state.manifest!, files, content };

	async function* readFiles() {
		for await (const chunk of readBody(body, options.maxUploadBytes)) {
			try {
				parser.write(chunk);
			} catch (error) {
				if (!(error instanceof URIError)) throw error;
				throw malformed("The form can't be read (InvalidDisposition).");
			}
			yield* pieces.splice(0);
			if (state.isWhole) break;
		}
		const { manifest, filePart, isWhole } = state;
		if (!isWhole) throw malformed('The form ends before its last boundary.');
		if (!manifest) throw malformed('The first part must be named "manifest.json".');
		if (files.length === 0) throw malformed(`The form has no part "${filePart}".`);
		for (const { name } of files) manifest.settings.delete(name);
		const [unknown] = manifest.settings.keys();
		if (unknown !== undefined)
			throw invalid({ [`files.${unknown}`]: 'names a file that was not sent' });
	}
}

/** The connection stays open for the response. @throws ServiceError 413, or the error of a body that breaks off */
async function* readBody(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	const chunks = body.iterator({ destroyOnReturn: false });
	for (let size = 0; ;) {
		// Only silence counts, not the time that the service needs itself.
		const cutOff = () => body.destroy(new Error('The upload went silent'));
		const silence = setTimeout(cutOff, SILENCE_MS);
		const { done, value } = await chunks.next().finally(() => clearTimeout(silence));
		if (done) return;
		size += (value as Buffer).length;
		if (size > maxBytes) throw tooLarge('upload', maxBytes);
		yield value as Buffer;
	}
}

type OuterRules = Pick<DrmRules, 'recipients' | 'downloadable'>;

interface SentManifest {
	container: OuterRules & { name: string; password?: string; drm?: Partial<DrmRules> };
	files?: Record<string, { type?: string; hidden?: boolean }>;
}

function parseManifest(bytes: Uint8Array, check: Check) {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	const sent = attempt(() => JSON.parse(decoder.decode(bytes)) as SentManifest);
	if (sent === undefined) throw malformed('The manifest is not valid JSON in UTF-8.');
	assertValid(check(sent));
	const { container, files = {} } = sent;
	const { name, password, drm = {}, ...outside } = container;
	const rules = { ...drm, ...outside };
	const problems = findRuleProblems(drm, 'container.drm.');
	Object.assign(problems, findRuleProblems(outside, 'container.'));
	for (const rule of findChangedRules({ ...rules, ...drm }, rules)) {
		problems[`container.${rule}`] = `differs from container.drm.${rule}`;
	}
	assertValid(problems);
	const settings = new Map(Object.entries(files));
	const merged = mergeRules({ dynamic: false }, rules);
	return { name, password, rules: merged, settings, fingerprint: stringify(sent) };
}

const PARAMETER = /;\s*([a-z*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/gi;

/** The parser itself reads only Latin-1. @throws URIError where a name is encoded wrongly */
function parseDisposition({ headers }: PartInfo) {
	const parameters: Record<string, string> = {};
	const matches = String(headers['content-disposition']).matchAll(PARAMETER);
	for (const [, key, quoted = '', token = quoted] of matches) parameters[key.toLowerCase()] = token;
	const { name, filename = '', 'filename*': extended = '' } = parameters;
	const [, encoded] = /^utf-8'[^']*'(.+)/i.exec(extended) ?? [];
	// Forms escape three characters (WHATWG), older clients only a quote.
	const decoded = filename.replaceAll('\\"', '"').replace(/%22|%0D|%0A/gi, decodeURIComponent);
	return { name, filename: encoded ? decodeURIComponent(encoded) : decoded };
}

function toStoredFile(part: PartInfo, files: StoredFile[], manifest: Manifest): StoredFile {
	const name = parseDisposition(part).filename.split(/[/\\]/).at(-1)!;
	const path = `file.${files.length}.name`;
	if (files.length === MAX_FILES) throw invalid({ file: `can come at most ${MAX_FILES} times` });
	if (['', '.', '..'].includes(name)) throw invalid({ [path]: 'is missing' });
	if (/\p{Cc}/u.test(name)) throw invalid({ [path]: 'has control characters' });
	if (name.length > MAX_NAME_CHARACTERS) {
		throw invalid({ [path]: `must have at most ${MAX_NAME_CHARACTERS} characters` });
	}
	const [sentType] = String(part.headers['content-type']).split(';', 1);
	const { type = sentType.trim(), hidden = false } = manifest.settings.get(name) ?? {};
	const { offset, size } = files.at(-1) ?? { offset: 0, size: 0 };
	const isType = /^[\w.+-]+\/[\w.+-]+$/.test(type);
	return {
		...{ name, type: isType ? type.toLowerCase() : 'application/octet-stream', hidden },
		...{ size: 0, offset: offset + size, sha256: '' },
	};
}
