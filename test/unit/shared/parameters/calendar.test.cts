import { Calendar } from '../../../../nodes/shared/parameters/calendar';
import { getDateInDays } from '../../../../nodes/shared/parameters/dates';

it('counts days in the time zone of the service, and else in that of the workflow', () => {
	const ofService = new Calendar('Etc/GMT-14', 'Etc/GMT+12');
	expect([ofService.today, ofService.getDayIn(3)]).toEqual([
		getDateInDays(0, 'Etc/GMT+12'),
		getDateInDays(3, 'Etc/GMT+12'),
	]);
	expect(ofService.describeToday()).toContain('in the time zone of the service (Etc/GMT+12)');

	const ofWorkflow = new Calendar('Etc/GMT-14');
	expect(ofWorkflow.today).toBe(getDateInDays(0, 'Etc/GMT-14'));
	expect(ofWorkflow.describeToday()).toContain('in the time zone of the workflow (Etc/GMT-14)');
});

it.each([
	['America/New_York', 'Europe/Berlin', '2027-03-10', '2027-03-10 18:00'],
	// Summer time has begun in one of them.
	['America/New_York', 'Europe/Berlin', '2027-03-15', '2027-03-15 19:00'],
	['Asia/Tokyo', 'UTC', '2027-12-31', '2028-01-01 09:00'],
])('in %s, access in %s until %s ends at %s there', (workflow, service, day, moment) => {
	expect(new Calendar(workflow, service).describeEnd(day)?.at(-1)).toBe('.');
	expect(new Calendar(workflow, service).describeEnd(day)).toContain(
		`of ${day} in the time zone of the service (${service}): ${moment} in that of the workflow`,
	);
});

it.each([
	['Europe/Zurich', 'Europe/Berlin'],
	['UTC', 'Etc/UTC'],
	['Europe/Zurich', undefined],
])('says nothing of the end where it is the same in %s and %s', (workflow, service) => {
	expect(new Calendar(workflow, service).describeEnd('2027-03-15')).toBeUndefined();
});

it('refuses a time zone that nobody knows', () => {
	expect(() => new Calendar('UTC', 'Mars/Olympus')).toThrow('"Mars/Olympus", which is unknown');
});
