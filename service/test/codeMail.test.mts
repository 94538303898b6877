import { createMailer } from '../src/mail/mailer.mts';
import * as states from './support/pageStates.mts';
import { parseMail, startMailServer } from './support/recipient.cts';
import { createFolder } from './support/service.mts';

const branded = states.createTestSite();
const unbranded = states.createTestSite({ isBranded: false });
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const mailLogo = { type: 'image/png', content: png, version: '1' } as const;

it('arrives with the headers of a mail that people can trust and answer', async () => {
	const server = await startMailServer();
	const from = { name: branded.name, address: branded.sender };
	const onError = jest.fn();
	const mailer = createMailer({ smtpUrl: server.url, outbox: createFolder(), from, onError });
	await mailer.send(states.createTestMail({ ...branded, mailLogo }, 'de'));
	await mailer.send(states.createTestMail(branded, 'ja'));
	await mailer.close();
	await server.stop();
	const [german, japanese] = server.mails;
	expect(german).toMatchObject({
		from: 'Berger & Söhne Steuerberatung <code@berger.example>',
		to: states.ANNA,
		replyTo: states.OLIVIA,
		subject: 'Ihr Code von Berger & Söhne Steuerberatung',
		language: 'de',
		code: states.CODE,
		attachments: ['logo.png'],
	});
	expect(german.html).toContain('<img src="cid:logo" alt=""');
	expect(japanese).toMatchObject({
		subject: 'Berger & Söhne Steuerberatung からの確認コード',
		language: 'ja',
		code: states.CODE,
		attachments: [],
	});
});

it('is answered to the company, where the owner is disabled', () => {
	const { replyTo } = states.createTestMail(branded, 'en', states.formerOwner);
	expect(replyTo).toBe(branded.sender);
});

describe.each(branded.languages)('in $name', ({ tag }) => {
	it.each([
		['a brand', branded, 'Berger & Söhne Steuerberatung'],
		['none', unbranded, 'files.berger.example'],
	])(
		'with %s, says whose it is, who has files, the code and how long it works',
		(_title, site, name) => {
			const { subject, text, html } = states.createTestMail(site, tag);
			expect(subject).toContain(name);
			expect(subject).not.toMatch(/\d{4}/);
			expect(text).toContain(`\n${states.CODE}\n`);
			expect(html.replace(/<[^>]*>/g, '')).toContain(states.CODE);
			for (const told of [states.OLIVIA, states.ANNA, 'files.berger.example']) {
				expect([text, html]).toEqual([
					expect.stringContaining(told),
					expect.stringContaining(told),
				]);
			}
			expect(text).toMatch(/16:52|04:52/);
			expect(`${text}${html}`).not.toMatch(/undefined|\{\w+\}/);
		},
	);
});

it('loads nothing, and escapes the name of a company', () => {
	const site = { ...branded, name: 'A <b> & "C"', mailLogo };
	const { html } = states.createTestMail(site, 'en');
	expect(html).toContain('<bdi>A &lt;b&gt; &amp; &quot;C&quot;</bdi>');
	expect(html.match(/(src|background|srcset)="[^"]*"/g)).toEqual(['src="cid:logo"']);
	expect(html).not.toMatch(/url\(|@import|<link|<script/);
});

it('its parts are read as a mail program reads them', () => {
	const source = 'Subject: =?UTF-8?Q?S=C3=B6hne_?=\n =?UTF-8?B?4oKs?=\n\nHello';
	expect(parseMail(source)).toMatchObject({ subject: 'Söhne €', text: 'Hello' });
});
