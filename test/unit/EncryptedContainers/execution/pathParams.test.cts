import {
	containerParam,
	formatPath,
	userParam,
} from '../../../../nodes/EncryptedContainers/execution/pathParams';

it('the path of an endpoint names its fields', () => {
	const path = ['users', userParam, 'containers', containerParam];

	expect(formatPath({ method: 'GET', path })).toBe('/users/{userId}/containers/{containerId}');
});
