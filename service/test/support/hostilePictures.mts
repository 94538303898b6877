import { crc32, deflateSync } from 'node:zlib';
import type { HostileFile } from './hostileFiles.mts';

function toChunk(name: string, content: Buffer): Buffer {
	const chunk = Buffer.concat([Buffer.from(name), content]);
	const frame = Buffer.alloc(8);
	frame.writeUInt32BE(content.length, 0);
	frame.writeUInt32BE(crc32(chunk), 4);
	return Buffer.concat([frame.subarray(0, 4), chunk, frame.subarray(4)]);
}

/** Black, of one bit a pixel. */
export function createPng(width: number, height: number, content: Buffer): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header[8] = 1;
	return Buffer.concat([
		Buffer.from('89504e470d0a1a0a', 'hex'),
		toChunk('IHDR', header),
		toChunk('IDAT', deflateSync(content)),
		toChunk('IEND', Buffer.alloc(0)),
	]);
}

function createGif(): Buffer {
	const screen = Buffer.from('474946383961ffffffff800000000000ffffff', 'hex');
	const image = Buffer.from('2c00000000ffffffff0002024c01003b', 'hex');
	return Buffer.concat([screen, image]);
}

/** A baseline header of 65,535 pixels a side, and no more. */
const createJpeg = () => Buffer.from('ffd8ffc0000b08ffffffff01011100ffda0008010100003f00', 'hex');

/** @param next where the next page is */
function createTiff(side: number, next: number): Buffer {
	const entries = [
		[256, side],
		[257, side],
		[258, 8],
		[259, 1],
		[262, 1],
		[273, 8],
		[277, 1],
		[278, side],
		[279, 0xffff_fff0],
	];
	const file = Buffer.alloc(8 + 2 + 12 * entries.length + 4);
	file.write('II*\0', 'latin1');
	file.writeUInt32LE(8, 4);
	file.writeUInt16LE(entries.length, 8);
	for (const [index, [tag, value]] of entries.entries()) {
		const start = 10 + 12 * index;
		file.writeUInt16LE(tag, start);
		file.writeUInt16LE(4, start + 2);
		file.writeUInt32LE(1, start + 4);
		file.writeUInt32LE(value, start + 8);
	}
	file.writeUInt32LE(next, file.length - 4);
	return file;
}

function createBmp(): Buffer {
	const file = Buffer.alloc(100);
	file.write('BM');
	file.writeUInt32LE(100, 2);
	file.writeUInt32LE(54, 10);
	file.writeUInt32LE(40, 14);
	file.writeInt32LE(0x7fff_ffff, 18);
	file.writeInt32LE(0x7fff_ffff, 22);
	file.writeUInt16LE(1, 26);
	file.writeUInt16LE(24, 28);
	return file;
}

const createSvg = (content: string, attributes = 'width="400" height="300"', before = '') =>
	Buffer.from(
		`${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`,
	);

function createLaughs(): Buffer {
	const entities = Array.from(
		{ length: 12 },
		(_, depth) => `<!ENTITY a${depth + 1} "${`&a${depth};`.repeat(10)}">`,
	);
	const type = `<!DOCTYPE svg [<!ENTITY a0 "ha">${entities.join('')}]>`;
	return createSvg('<text y="20">&a12;</text>', undefined, type);
}

function createUses(): Buffer {
	const groups = Array.from(
		{ length: 30 },
		(_, depth) =>
			`<g id="g${depth + 1}"><use xlink:href="#g${depth}"/><use xlink:href="#g${depth}"/></g>`,
	);
	return createSvg(
		`<defs><rect id="g0" width="9" height="9"/>${groups.join('')}</defs><use xlink:href="#g30"/>`,
	);
}

const createBlur = () =>
	createSvg(
		'<filter id="f" x="-1000" y="-1000" width="3000" height="3000"><feGaussianBlur stdDeviation="10000"/><feTurbulence baseFrequency="0.9" numOctaves="100000"/></filter><rect width="400" height="300" filter="url(#f)"/>',
	);

const createDots = () =>
	createSvg(
		'<pattern id="p" width="0.001" height="0.001" patternUnits="userSpaceOnUse"><rect width="0.0005" height="0.0005"/></pattern><rect width="400" height="300" fill="url(#p)"/>',
	);

const createGroups = () => createSvg('<g>'.repeat(200_000) + '</g>'.repeat(200_000));

const NONE = Buffer.alloc(0);
export const HOSTILE_PICTURES: HostileFile[] = [
	{
		name: 'a PNG of 65,535 pixels a side',
		create: () => createPng(65_535, 65_535, NONE),
		ends: ['tooHeavy', 'broken'],
		isExample: true,
	},
	{
		name: 'a PNG of 900 million pixels',
		create: () => createPng(30_000, 30_000, Buffer.alloc(30_000 * 3751)),
		ends: ['tooHeavy'],
	},
	{ name: 'a GIF of 65,535 pixels a side', create: createGif, ends: ['tooHeavy', 'broken'] },
	{ name: 'a JPEG of 65,535 pixels a side', create: createJpeg, ends: ['tooHeavy', 'broken'] },
	{
		name: 'a TIFF whose pages form a circle',
		create: () => createTiff(10, 8),
		ends: ['tooHeavy', 'broken', 'shown'],
	},
	{
		name: 'a TIFF that says it has 4 GB',
		create: () => createTiff(65_000, 0),
		ends: ['tooHeavy', 'broken'],
	},
	{
		name: 'a BMP of 2 thousand million pixels a side',
		create: createBmp,
		ends: ['tooHeavy', 'broken'],
	},
	{
		name: 'a drawing of a thousand million laughs',
		create: createLaughs,
		ends: ['broken', 'tooHeavy'],
		isExample: true,
	},
	{
		name: 'a drawing of 2^30 copies',
		create: createUses,
		ends: ['broken', 'tooHeavy', 'timedOut'],
	},
	{
		name: 'a drawing with an endless filter',
		create: createBlur,
		ends: ['shown', 'tooHeavy', 'timedOut'],
	},
	{
		name: 'a drawing of endless dots',
		create: createDots,
		ends: ['shown', 'tooHeavy', 'timedOut'],
	},
	{
		name: 'a drawing of 10^9 pixels a side',
		create: () => createSvg('', 'width="1000000000" height="1000000000"'),
		ends: ['shown', 'broken'],
	},
	{
		name: 'a drawing of 200,000 groups',
		create: createGroups,
		ends: ['broken', 'tooHeavy', 'shown'],
	},
];
