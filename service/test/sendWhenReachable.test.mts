import { sendWhenReachable } from '../src/mail/sendWhenReachable.mts';
import type { Mail } from '../src/mail/mailer.mts';
import { times } from './support/service.mts';

const toMail = (text: string) => ({ to: 'ada@example.com', text }) as Mail;

/** A mail server that fails the first mails, and whether it takes others then. */
function createFailing(failures: number, isReachable: boolean) {
	const sent: string[] = [];
	let tries = 0;
	const mailer = {
		whenReachable: async () => undefined,
		isReachable: async () => isReachable,
		send: async ({ text }: Mail) => {
			tries += 1;
			if (tries <= failures) throw new Error('No connection');
			sent.push(text);
		},
	};
	return { mailer, sent };
}

describe('a mail', () => {
	/** Each with another text, as a code that is made again is another one. */
	const createMaker = () => {
		const texts = times(5, (index) => `Code ${index}`).values();
		return async () => toMail(texts.next().value!);
	};

	it('that meets a server which is going away is made again, and sent once it is back', async () => {
		const { mailer, sent } = createFailing(2, false);
		await sendWhenReachable(mailer, createMaker());
		expect(sent).toEqual(['Code 2']);
	});

	it('that the server refuses is sent no second time', async () => {
		const { mailer, sent } = createFailing(1, true);
		await expect(sendWhenReachable(mailer, createMaker())).rejects.toThrow('No connection');
		expect(sent).toEqual([]);
	});

	it('that nobody gets is not sent', async () => {
		const { mailer, sent } = createFailing(0, true);
		await sendWhenReachable(mailer, async () => undefined);
		expect(sent).toEqual([]);
	});
});
