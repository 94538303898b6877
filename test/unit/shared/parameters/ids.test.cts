import { parseLink } from '../../../../nodes/shared/parameters/ids';

const ID = '5f0c2a4e-8d1b-4c7a-9e36-2b7d1f4a6c90';
const HOST = 'https://share.example.com';

it.each([
	[`${HOST}/c/${ID}`, ID],
	[`  ${HOST}:8443/c/${ID}/ \n`, ID],
	[`${HOST}/c/${ID.toUpperCase()}`, ID.toUpperCase()],
	// What a browser shows.
	[`share.example.com/c/${ID}`, ID],
	[`${HOST}/c/${ID}?file=1#page-3`, ID],
	[`${HOST}/c/${ID}/open`, ID],
	[`${HOST}/c/${ID}/files/0/pages/12?dark=1`, ID],
	[`${HOST}/c/${ID}/files.zip`, ID],
	// Of other services.
	[`${HOST}/portal/view/c-17`, 'c-17'],
	[`${HOST}/view/a%20b%C3%A9/?x=/y/z`, 'a bé'],
	[`HTTP://localhost/0b9f6a52-3d7e-4a41-8a4c-6c1f0e2d9b75/${ID}`, ID],
])('the link %j has the ID %j', (link, id) => {
	expect(parseLink(link, 'Container')).toBe(id);
});

it.each([
	...[
		ID,
		HOST,
		`${HOST}/`,
		`${HOST}/?c=${ID}`,
		'https://',
		'https:///',
		'no link',
		'mailto:a@b.example',
	],
	...[`${HOST}/c/%2F`, `${HOST}/c/a%2Fb`, `${HOST}/c/%00`, `${HOST}/c/%E0%A4%A`, 17, true, {}],
])('%j is refused by the name of the field', (value) => {
	expect(() => parseLink(value, 'Container')).toThrow('"Container" is not a link with an ID');
});

it.each([undefined, null, '', '  '])('%j is an empty field', (value) => {
	expect(() => parseLink(value, 'Container')).toThrow('"Container" is empty');
});
