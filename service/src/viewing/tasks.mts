/** What the thread of a document is asked for, and what it answers. */
import type { ViewingProblem } from './viewingError.mts';

/** How large a picture is: to fit on a screen, or one step larger. */
export type PictureSize = 'fit' | 'large';

/** Pages by their numbers, from 1. */
export interface PageRange {
	from: number;
	to: number;
}

interface PageShape {
	/** Of the picture that fits on a screen, in pixels. */
	width: number;
	height: number;
}

export interface OutlineEntry {
	title: string;
	/** From 1. */
	page: number;
	/** From 1: a part of the whole; each level below is part of the entry above it. */
	level: number;
}

export interface Description {
	pageCount: number;
	/** Of the pages that were asked for, as far as there are any. */
	pages: PageShape[];
	outline: OutlineEntry[];
	/** Whether the document allows that its text is read aloud. */
	mayReadAloud: boolean;
}

export interface PageText {
	/** Empty where the document forbids to read it aloud. */
	text: string;
	isCut: boolean;
	/** Whether letters are missing in the picture of the page. */
	lacksGlyphs: boolean;
}

export interface Picture {
	bytes: Uint8Array;
	type: 'image/png' | 'image/webp';
	width: number;
	height: number;
}

export interface RenderTask {
	/** From 1. */
	page: number;
	size: PictureSize;
	/** Lines of text that are drawn all over the page. */
	mark?: string[];
}

export type Task =
	| { name: 'describe'; pages: PageRange }
	| { name: 'readText'; pages: PageRange }
	| ({ name: 'render' } & RenderTask);

/** Reads and draws a document, inside of its thread. */
export interface DocumentReader {
	describe(pages: PageRange): Description;
	readText(pages: PageRange): PageText[];
	render(task: RenderTask): Promise<Picture>;
}

export type Answer =
	| { block: number }
	| { result: Description | PageText[] | Picture; memory: number }
	| { problem: ViewingProblem; cause?: unknown };
