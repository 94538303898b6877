import { Counter, Gauge, type Registry } from 'prom-client';
import type { Mailer } from '../mail/mailer.mts';

/** The mail server is asked so often, even if nobody wants a mail. */
const ASK_MS = 60_000;

export function watchMailer(registry: Registry, mailer: Mailer): Mailer {
	const { sent, waiting } = createCounts(registry);
	let askedAt = -Infinity;
	const isUp = new Gauge({
		name: 'ec_mail_server_up',
		help: 'Whether the mail server took the connection of the last check: 1, or 0',
		registers: [registry],
		// A server that hangs must not hold up the others.
		collect: () => {
			if (performance.now() - askedAt > ASK_MS) void ask();
		},
	});
	// Nothing is known yet: 0 would be wrong.
	isUp.remove();
	async function ask(): Promise<boolean> {
		askedAt = performance.now();
		const isReachable = await mailer.isReachable();
		isUp.set(isReachable ? 1 : 0);
		return isReachable;
	}
	return {
		...mailer,
		isReachable: ask,
		async send(mail) {
			try {
				await mailer.send(mail);
				sent.inc({ outcome: 'sent' });
			} catch (error) {
				sent.inc({ outcome: 'failed' });
				throw error;
			}
		},
		async whenReachable() {
			waiting.inc();
			await mailer.whenReachable().finally(() => waiting.dec());
			await ask();
		},
	};
}

function createCounts(registry: Registry) {
	const sent = new Counter({
		name: 'ec_mails_total',
		help: 'Mails that the mail server took (outcome sent), or not (failed)',
		labelNames: ['outcome'],
		registers: [registry],
	});
	const waiting = new Gauge({
		name: 'ec_mails_waiting',
		help: 'Requests for codes, and receipts, that wait until the mail server takes mails',
		registers: [registry],
	});
	// So that an increase is seen from the first one on.
	for (const outcome of ['sent', 'failed']) sent.inc({ outcome }, 0);
	return { sent, waiting };
}
