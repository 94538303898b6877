import type { Mail, Mailer } from './mailer.mts';

/**
 * Makes a mail and sends it once the server takes mails. If the server is gone when it is sent, it is made and sent again
 * once the server is back.
 * @param make returns nothing where nobody gets a mail
 */
export async function sendWhenReachable(
	mailer: Pick<Mailer, 'whenReachable' | 'isReachable' | 'send'>,
	make: () => Promise<Mail | undefined> | Mail,
): Promise<void> {
	for (;;) {
		await mailer.whenReachable();
		const mail = await make();
		try {
			if (mail) await mailer.send(mail);
			return;
		} catch (error) {
			// It refuses this mail, and takes others.
			if (await mailer.isReachable()) throw error;
		}
	}
}
