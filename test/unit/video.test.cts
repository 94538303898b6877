import {
	layOut,
	selectStills,
	type Shot,
	MAX_SECONDS,
	readStoryboard,
} from '../../tools/video/recording.cts';
import { shots } from '../../tools/video/shots.cts';

/** What people read in a second without haste. */
const CHARACTERS_PER_SECOND = 15;

describe('the storyboard of the demo film', () => {
	it('has exactly the shots that can be recorded', async () => {
		const names = (await readStoryboard()).map(({ name }) => name);

		expect(names.toSorted()).toEqual(Object.keys(shots).toSorted());
	});

	it('leaves time to read each caption, and ends in time', async () => {
		const plans = await readStoryboard();

		expect(plans.length).toBeGreaterThan(10);
		for (const { caption, seconds } of plans) {
			expect(caption.length).toBeGreaterThan(0);
			expect(seconds).toBeGreaterThan(caption.length / CHARACTERS_PER_SECOND);
		}
		const total = plans.reduce((sum, { seconds }) => sum + seconds, 0);
		expect(total).toBeLessThanOrEqual(MAX_SECONDS);
	});
});

describe('the demo film', () => {
	/** A shot of five seconds, by the times of its pictures in milliseconds. */
	const shot = (name: string, times: number[], duration: number, gifSeconds = 0): Shot => ({
		...{ name, caption: `Caption of ${name}`, seconds: 5, gifSeconds, duration },
		frames: times.map((time) => ({ time, jpeg: Buffer.from(`${name} ${time}`) })),
	});
	const describePicture = ({ jpeg, time, duration }: ReturnType<typeof layOut>[number]) =>
		`${jpeg.toString()} from ${Number(time.toFixed(2))} for ${Number(duration.toFixed(2))}`;

	it.each<[string, Shot[], string[]]>([
		[
			'one shot after the other, each as long as planned',
			[shot('a', [0, 1000], 1500), shot('b', [0, 2000], 2500)],
			['a 0 from 0 for 1', 'a 1000 from 1 for 4', 'b 0 from 5 for 2', 'b 2000 from 7 for 3'],
		],
		[
			'faster what took longer than planned',
			[shot('a', [0, 4000, 10_000], 10_000)],
			['a 0 from 0 for 1', 'a 4000 from 1 for 1.5', 'a 10000 from 2.5 for 2.5'],
		],
		[
			'no picture that nobody can see, but always the last one',
			[shot('a', [0, 10, 20, 500, 510], 510)],
			['a 20 from 0 for 0.51', 'a 510 from 0.51 for 4.49'],
		],
	])('shows %s', (_what, recorded, pictures) => {
		expect(layOut(recorded).map(describePicture)).toEqual(pictures);
	});

	it('has captions, and the last pictures of its chosen shots in the GIF', () => {
		const recorded = [shot('a', [0, 1], 1, 3), shot('b', [0, 1], 1)];

		expect(new Set(layOut(recorded).map(({ caption }) => caption))).toEqual(
			new Set(['Caption of a', 'Caption of b']),
		);
		expect(selectStills(recorded).map(describePicture)).toEqual(['a 1 from 0 for 3']);
	});
});
