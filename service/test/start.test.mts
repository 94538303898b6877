import { describeService, startService, usesServers } from './support/service.mts';

describeService('what is printed', () => {
	it('says at the first start what to do next, and later no more', async () => {
		const service = await startService();
		const [, steps] = service.getOutput().stdout.split('What to do next:\n\n');
		expect(steps.split('\n\n')[0].split('\n')).toEqual([
			expect.stringMatching(/^ {2}1\. In n8n, create a credential/),
			`  2. Encrypt a file for yourself, and open its link: the code to sign in is in the newest file of ${service.folder}/outbox.`,
			expect.stringContaining(
				usesServers
					? '  3. Keep a copy of the master key'
					: `  3. Keep a copy of ${service.folder}/master.key`,
			),
		]);
		await service.restart();
		expect(service.getOutput().stdout).not.toContain('What to do next');
	});
});
