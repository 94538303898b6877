import { findRules } from '../../../../nodes/shared/api/shownRules';

it('the rules of a container are those in its drm, and those that it has beside them', () => {
	const beside = { recipients: ['a@x'], downloadable: false };
	const response = { container: { uuid: 'c-1', opens: 1, ...beside, drm: { opens: 2 } } };
	expect(findRules(response)).toEqual({ ...beside, opens: 2 });

	const drm = { recipients: ['b@x'], downloadable: true };
	expect(findRules({ container: { ...beside, drm } })).toEqual(drm);
});
