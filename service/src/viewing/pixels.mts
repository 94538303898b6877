/** What an engine drew: red, green, blue and opacity of each pixel. */
export interface Pixels {
	data: Uint8ClampedArray;
	width: number;
	height: number;
}

/** Each pixel as one number. */
export const toNumbers = ({ data }: Pixels) =>
	new Int32Array(data.buffer, data.byteOffset, data.length / 4);
