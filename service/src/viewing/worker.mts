/** The thread of one document: what parses its bytes runs here, in the memory of WebAssembly. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BlockMailbox, type FileBytes, openBytes } from './blocks.mts';
import type { Drawing } from './drawing.mts';
import { createEncoder } from './encoding.mts';
import type { Engines } from './engines.mts';
import type { FileFormat } from './formats.mts';
import { Marker } from './mark.mts';
import { addOutsideFonts } from './outsideFonts.mts';
import { openPdf } from './pdfFile.mts';
import { startPdfium } from './pdfium.mts';
import type { Answer, DocumentReader, Task } from './tasks.mts';
import { ViewingError } from './viewingError.mts';

export interface WorkerData {
	mailbox: BlockMailbox;
	size: number;
	format: FileFormat;
}

const port = parentPort!;
const { mailbox, size, format } = workerData as WorkerData;
const answer = (message: Answer, transfer: ArrayBuffer[] = []) =>
	port.postMessage(message, transfer);

async function open(engines: Engines): Promise<DocumentReader> {
	const bytes = openBytes(size, mailbox, (block) => answer({ block }));
	const pdfium = await startPdfium(engines.pdfium);
	addOutsideFonts(pdfium);
	const encode = createEncoder(engines.webp, format);
	let marker: Marker | undefined;
	const getMarker = () => (marker ??= new Marker(pdfium, engines.font));
	return await openFormat({ pdfium, getMarker, encode }, bytes, engines);
}

/** The engine of a kind is loaded where a file of that kind is opened. */
async function openFormat(
	drawing: Drawing,
	bytes: FileBytes,
	{ font, ofFormat }: Engines,
): Promise<DocumentReader> {
	if (format === 'PDF') return openPdf(drawing, bytes);
	const module = ofFormat!;
	if (format === 'SVG') {
		const { openSvg } = await import('./svgFile.mts');
		return await openSvg(drawing, bytes, { font, module });
	}
	const { openPicture } = await import('./pictureFile.mts');
	return await openPicture(drawing, bytes, { format, module });
}

async function perform(file: DocumentReader, task: Task) {
	if (task.name === 'describe') return file.describe(task.pages);
	if (task.name === 'readText') return file.readText(task.pages);
	return await file.render(task);
}

/** Of this thread, with all that its engines hold. */
function getMemory(): number {
	const { heapTotal, external } = process.memoryUsage();
	return heapTotal + external;
}

let opening: Promise<DocumentReader> | undefined;

async function answerTask(engines: Engines, task: Task): Promise<void> {
	try {
		const result = await perform(await (opening ??= open(engines)), task);
		const transfer = 'bytes' in result ? [result.bytes.buffer as ArrayBuffer] : [];
		answer({ result, memory: getMemory() }, transfer);
	} catch (error) {
		// What isn't told apart is an abort inside: almost always no memory is left.
		const problem = error instanceof ViewingError ? error.problem : 'tooHeavy';
		answer({ problem, cause: error instanceof ViewingError ? error.cause : error });
	}
}

// The thread starts while they are loaded.
port.once('message', (engines: Engines) => {
	port.on('message', (task: Task) => void answerTask(engines, task));
});
