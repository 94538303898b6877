import { layOut, selectStills, type Shot } from '../../tools/video/recording.cts';
import { shots } from '../../tools/video/shots.cts';
import { MAX_SECONDS, readStoryboard } from '../../tools/video/storyboard.cts';

/** What people read in a second without haste. */
const CHARACTERS_PER_SECOND = 15;

describe('the storyboard of the demo film', () => {
	it('has exactly the shots that can be recorded', async () => {
		const names = (await readStoryboard()).map(({ name }) => name);

		expect(names.length).toBeGreaterThan(10);
		expect(names.toSorted()).toEqual(Object.keys(shots).toSorted());
	});

	it('leaves time to read each caption, and ends in time', async () => {
		const plans = await readStoryboard();

		for (const { caption, seconds } of plans) {
			expect(caption.length).toBeGreaterThan(0);
			expect(seconds).toBeGreaterThan(caption.length / CHARACTERS_PER_SECOND);
		}
		const total = plans.reduce((sum, { seconds }) => sum + seconds, 0);
		expect(total).toBeLessThanOrEqual(MAX_SECONDS);
	});
});

describe('the demo film', () => {
	const shot = (name: string, times: number[], duration: number, gifSeconds = 0): Shot => ({
		name,
		caption: `Caption of ${name}`,
		seconds: 5,
		gifSeconds,
		duration,
		frames: times.map((time) => ({ time, jpeg: Buffer.from(`${name} ${time}`) })),
	});
	const describePicture = ({ jpeg, time, duration }: ReturnType<typeof layOut>[number]) => [
		jpeg.toString(),
		Number(time.toFixed(2)),
		Number(duration.toFixed(2)),
	];

	it('shows one shot after the other, each as long as planned', () => {
		const pictures = layOut([shot('a', [0, 1000], 1500), shot('b', [0, 2000], 2500)]);

		expect(pictures.map(describePicture)).toEqual([
			['a 0', 0, 1],
			['a 1000', 1, 4],
			['b 0', 5, 2],
			['b 2000', 7, 3],
		]);
		expect(pictures.map(({ caption }) => caption)).toContain('Caption of b');
	});

	it('is faster where the work took longer than planned', () => {
		const pictures = layOut([shot('a', [0, 4000, 10_000], 10_000)]);

		expect(pictures.map(describePicture)).toEqual([
			['a 0', 0, 1],
			['a 4000', 1, 1.5],
			['a 10000', 2.5, 2.5],
		]);
	});

	it('leaves out pictures that nobody can see, but never the last one', () => {
		const pictures = layOut([shot('a', [0, 10, 20, 500, 510], 510)]);

		expect(pictures.map(describePicture)).toEqual([
			['a 20', 0, 0.51],
			['a 510', 0.51, 4.49],
		]);
	});

	it('has the last pictures of its chosen shots in the GIF', () => {
		const stills = selectStills([shot('a', [0, 1], 1, 3), shot('b', [0, 1], 1)]);

		expect(stills.map(describePicture)).toEqual([['a 1', 0, 3]]);
	});
});
