/** The thread of one document: what parses its bytes runs here, in the memory of WebAssembly. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BlockMailbox, type FileBytes, openBytes } from './blocks.mts';
import type { Drawing } from './drawing.mts';
import type { Engines } from './engines.mts';
import type { FileFormat } from './formats.mts';
import { Marker } from './mark.mts';
import { openPdf } from './pdfFile.mts';
import { startPdfium } from './pdfium.mts';
import type { Answer, OpenFile, Task } from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import { startWebp } from './webp.mts';

export interface WorkerData {
	engines: Engines;
	mailbox: BlockMailbox;
	size: number;
	format: FileFormat;
}

const port = parentPort!;
const { engines, mailbox, size, format } = workerData as WorkerData;
const answer = (message: Answer, transfer: ArrayBuffer[] = []) =>
	port.postMessage(message, transfer);

let opening: Promise<OpenFile> | undefined;

async function open(): Promise<OpenFile> {
	const bytes = openBytes(size, mailbox, (block) => answer({ block }));
	const pdfium = await startPdfium(engines.pdfium);
	const encode = await startWebp(engines.webp);
	let marker: Marker | undefined;
	const getMarker = () => (marker ??= new Marker(pdfium, engines.font));
	return await openFormat({ pdfium, getMarker, encode }, bytes);
}

/** The engine of a kind is loaded where a file of that kind is opened. */
async function openFormat(drawing: Drawing, bytes: FileBytes): Promise<OpenFile> {
	if (format === 'PDF') return openPdf(drawing, bytes);
	const module = engines.ofFormat!;
	if (format === 'SVG') {
		const { openSvg } = await import('./svgFile.mts');
		return await openSvg(drawing, bytes, { font: engines.font, module });
	}
	const { openPicture } = await import('./pictureFile.mts');
	return await openPicture(drawing, bytes, { format, module });
}

function perform(file: OpenFile, task: Task) {
	if (task.name === 'describe') return file.describe(task.pages);
	if (task.name === 'readText') return file.readText(task.pages);
	return file.render(task);
}

/** Of this thread, with all that its engines hold. */
function getMemory(): number {
	const { heapTotal, external } = process.memoryUsage();
	return heapTotal + external;
}

port.on('message', async (task: Task) => {
	try {
		const result = perform(await (opening ??= open()), task);
		const transfer = 'bytes' in result ? [result.bytes.buffer as ArrayBuffer] : [];
		answer({ result, memory: getMemory() }, transfer);
	} catch (error) {
		// What isn't told apart is an abort inside: almost always no memory is left.
		const problem = error instanceof ViewingError ? error.problem : 'tooHeavy';
		answer({ problem, cause: error instanceof ViewingError ? error.cause : error });
	}
});
