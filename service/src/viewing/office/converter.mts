/** A document, as far as a converter needs to know it. */
export interface OfficeFile {
	/** One of those that name such documents. */
	ending: string;
	content: AsyncIterable<Uint8Array>;
}

/** Turns documents into PDFs. */
export interface Converter {
	/** @throws ViewingError for what is in the file; another error where the converter doesn't work */
	convert(file: OfficeFile, signal: AbortSignal): Promise<Uint8Array>;
	/** @returns why it doesn't work, with what to do */
	findProblem(): Promise<string | undefined>;
	/** Whether the service starts it itself: then it has to work from the start. */
	isOwn: boolean;
}

export const MAX_PDF_BYTES = 64 * 1024 * 1024;
