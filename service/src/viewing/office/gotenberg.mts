import { buffer } from 'node:stream/consumers';
import { ViewingError } from '../viewingError.mts';
import { type Converter, MAX_PDF_BYTES, type OfficeFile } from './converter.mts';
import { collect } from './collect.mts';

const HEALTH_MS = 10_000;
/** What it says about a document that it can't read. */
const UNREAD = 400;

/** LibreOffice behind an API, in a container of its own: https://gotenberg.dev */
export function createGotenberg(setting: string): Converter {
	const toUrl = (path: string) => new URL(path, setting.replace(/\/*$/, '/'));

	async function convert({ ending, content }: OfficeFile, signal: AbortSignal) {
		const form = new FormData();
		const bytes = await buffer(content);
		form.append('files', new Blob([new Uint8Array(bytes)]), `document.${ending}`);
		const url = toUrl('forms/libreoffice/convert');
		const response = await fetch(url, { method: 'POST', body: form, redirect: 'error', signal });
		const { status, body } = response;
		if (status === UNREAD) throw new ViewingError('unread', await response.text());
		if (status !== 200 || body === null) throw new Error(`Gotenberg answers with ${status}`);
		const pdf = await collect(body, MAX_PDF_BYTES);
		if (pdf.subarray(0, 5).toString() !== '%PDF-') {
			const type = response.headers.get('content-type') ?? 'content without a type';
			throw new Error(`Gotenberg answers with ${type}, and no PDF`);
		}
		return pdf;
	}

	async function findProblem(): Promise<string | undefined> {
		try {
			const { status } = await fetch(toUrl('health'), { signal: AbortSignal.timeout(HEALTH_MS) });
			if (status === 200) return undefined;
			return `Gotenberg answers with ${status}: see its log, and check OFFICE.`;
		} catch (error) {
			const { code, message } = ((error as Error).cause as NodeJS.ErrnoException) ?? error;
			return `Gotenberg doesn't answer (${code ?? message}): check OFFICE, and that it runs.`;
		}
	}

	return { convert, findProblem, isOwn: false };
}
