/** The thread of one document: what parses its bytes runs here, in the memory of WebAssembly. */
import { parentPort, workerData } from 'node:worker_threads';
import { type BlockMailbox, openBytes } from './blocks.mts';
import { createMarker, type Marker } from './mark.mts';
import { openPdf } from './pdfFile.mts';
import { startPdfium, type Pdfium } from './pdfium.mts';
import type { Answer, OpenFile, Task } from './tasks.mts';
import { ViewingError } from './viewingError.mts';
import type { WasmModule } from './webAssembly.mts';
import { startWebp } from './webp.mts';

export interface WorkerData {
	pdfium: WasmModule;
	webp: WasmModule;
	font: Uint8Array<SharedArrayBuffer>;
	mailbox: BlockMailbox;
	size: number;
}

const port = parentPort!;
const data = workerData as WorkerData;
const answer = (message: Answer, transfer: ArrayBuffer[] = []) =>
	port.postMessage(message, transfer);

let opening: Promise<{ file: OpenFile; pdfium: Pdfium }> | undefined;

async function open() {
	const bytes = openBytes(data.size, data.mailbox, (block) => answer({ block }));
	const pdfium = await startPdfium(data.pdfium);
	const encode = await startWebp(data.webp);
	let made: Marker | undefined;
	const marker = () => (made ??= createMarker(pdfium, data.font));
	return { file: openPdf({ pdfium, marker, encode }, bytes), pdfium };
}

async function perform(file: OpenFile, task: Task) {
	if (task.name === 'describe') return file.describe(task.pages);
	if (task.name === 'readText') return file.readText(task.pages);
	return await file.render(task);
}

port.on('message', async (task: Task) => {
	try {
		const { file, pdfium } = await (opening ??= open());
		const result = await perform(file, task);
		const transfer = 'bytes' in result ? [result.bytes.buffer as ArrayBuffer] : [];
		answer({ result, memory: pdfium.HEAPU8.length }, transfer);
	} catch (error) {
		// What isn't told apart is an abort inside: almost always no memory is left.
		if (error instanceof ViewingError) answer({ problem: error.problem });
		else answer({ problem: 'tooHeavy', cause: error });
	}
});
