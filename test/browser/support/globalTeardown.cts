import { stage } from './stage.cts';

/** Ends what the global setup has started. */
export default async function globalTeardown(): Promise<void> {
	await stage.close();
}
