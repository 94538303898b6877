import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../project.cts';

/** What a shot is called, says and lasts. What happens in it is in shots.cts. */
export interface ShotPlan {
	name: string;
	caption: string;
	seconds: number;
	/** How long the GIF shows its last picture; 0 if it is not in the GIF. */
	gifSeconds: number;
}

/** What n8n's reviewers have to watch, at most. */
export const MAX_SECONDS = 180;

/** Reads the table of docs/storyboard.md. */
export async function readStoryboard(): Promise<ShotPlan[]> {
	const text = await readFile(join(projectRoot, 'docs', 'storyboard.md'), 'utf8');
	const rows = text.split('\n').filter((line) => /^\| [a-z]/.test(line));
	return rows.map((row) => {
		const [, name, , caption, seconds, gifSeconds] = row.split('|').map((cell) => cell.trim());
		return { name, caption, seconds: Number(seconds), gifSeconds: Number(gifSeconds) };
	});
}
