import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { getContainerIdentity } from '../../nodes/shared/api/records.ts';
import { createReport } from './findings.cts';
import {
	onContact,
	onContainer,
	REQUIRED_STEPS,
	walk,
	withOptions,
	type Owned,
	type Step,
	type WalkOptions,
} from './walk.cts';

const ATTEMPTS = 4;
const PAUSE_MS = 1500;

/**
 * Walks all operations on a container and a contact of its own, deletes both, and reports: `failed` are operations with
 * which the node failed or which did not run, `leftovers` what the service did not delete, `error` why the walk ended
 * early.
 */
export async function probe(options: Omit<WalkOptions, 'owned'>) {
	const { baseUrl, apiKey } = options.credential;
	const marker = randomBytes(8).toString('hex');
	const owned: Owned = {
		containerName: `n8n probe ${marker} (can be deleted)`,
		email: `n8n-probe-${marker}@example.com`,
		userId: '',
	};
	/** Without what identifies the service and its user. */
	const redact = (text: string) => {
		const { host, hostname } = new URL(baseUrl);
		const secrets = [apiKey, baseUrl, host, hostname, owned.containerId, owned.userId];
		return secrets.reduce<string>((all, one) => (one ? all.replaceAll(one, '…') : all), text);
	};
	const walkOptions = { ...options, owned, log: (text: string) => options.log(redact(text)) };
	const steps: Step[] = [];
	let error: string | undefined;
	try {
		await walk(walkOptions, steps);
	} catch (reason) {
		error = redact((reason as Error).message);
	}
	const leftovers = (await cleanUp(walkOptions, steps)).map(redact);
	const failed = REQUIRED_STEPS.filter((id) => !hasSucceeded(steps, id));
	return { report: redact(await createReport(steps)), failed, leftovers, error };
}

const hasSucceeded = (steps: Step[], id: string) =>
	steps.some((step) => step.id === id && step.error === undefined);

/**
 * Ends access to the container and deletes it and the contact, however far the walk came. It finds a container whose
 * ID never arrived by its name, which no other container has.
 * @returns what the service did not delete, in words
 */
async function cleanUp({ owned, credential, run, log }: WalkOptions, steps: Step[]) {
	const send = async (parameters: ReturnType<typeof withOptions>) => {
		const { items, error } = await run(withOptions(parameters, owned), credential);
		const { httpCode = '' } = error ?? {};
		const isRefused = /^4(?!29)/.test(httpCode ?? '');
		if (error === undefined || httpCode === '404' || httpCode === '410') return items;
		throw Object.assign(new Error(error.message), { isRefused });
	};
	const leftovers: string[] = [];
	const attempt = async (what: string, work: (isLast: boolean) => Promise<unknown>) => {
		for (let count = 1; ; count += 1) {
			const isLast = count === ATTEMPTS;
			try {
				return await work(isLast);
			} catch (error) {
				const { message, isRefused } = error as Error & { isRefused?: boolean };
				if (isLast || isRefused) return leftovers.push(`${what}: ${message}`);
				await wait(PAUSE_MS);
			}
		}
	};
	const upload = steps.find(({ id }) => id === 'encode');
	if (upload !== undefined && !hasSucceeded(steps, 'deleteContainer')) {
		const { status = 0 } = upload.exchanges.at(-1) ?? {};
		const isKnown = owned.containerId !== undefined && upload.exchanges.length === 1;
		const find = async (isLast: boolean) => {
			const options = { nameContains: owned.containerName };
			const list = { resource: 'container', operation: 'getAll', returnAll: true, options };
			const ids = (await send(list)).map((item) => getContainerIdentity(item).id);
			// An upload that was cut off can still arrive.
			const isRefused = status >= 400 && status < 500;
			const wasCreated = status >= 200 && status < 300;
			if (ids.length > 0 || isRefused || (isLast && !wasCreated)) return ids;
			throw new Error('it is not in the list of containers');
		};
		await attempt(`container "${owned.containerName}"`, async (isLast) => {
			for (const containerId of isKnown ? [owned.containerId] : await find(isLast)) {
				const found = { ...owned, containerId };
				// Deleting the container ends access as well; this is for the case that it can't be deleted.
				await send(onContainer('drm', 'revoke')(found)).catch(() => undefined);
				await send(onContainer('container', 'delete')(found));
				log('Deleted the container');
			}
		});
	}
	if (steps.some(({ id }) => id === 'contact') && !hasSucceeded(steps, 'deleteContact')) {
		await attempt(`contact ${owned.email}`, async () => {
			await send(onContact('delete')(owned));
			log('Deleted the contact');
		});
	}
	return leftovers;
}
