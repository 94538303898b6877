import { readViewRequest, toViewQuery, type ViewRequest } from '../src/open/view/viewUrl.mts';

const none = { file: undefined, from: 1, isLarge: false, isText: false };

it.each<Partial<ViewRequest>>([
	{},
	{ file: 0 },
	{ file: 10, from: 21 },
	{ file: 9999, isLarge: true },
	{ file: 3, from: 41, isText: true },
])('a link to what a page shows asks for it: %j', (view) => {
	const query = Object.fromEntries(new URLSearchParams(toViewQuery(view)));
	expect(readViewRequest(query)).toEqual({ ...none, ...view });
});
