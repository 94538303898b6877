import { tryToParseDateTime, UserError } from 'n8n-workflow';

import { getDateInDays } from './dates';

/** Counts days in the time zone of the service, where it says one (docs/openapi.yaml, User), else in that of the workflow. */
export class Calendar {
	readonly timeZone: string;

	/** @throws UserError where the service says a time zone that nobody knows */
	constructor(
		private readonly workflowZone: string,
		private readonly serviceZone?: string,
	) {
		this.timeZone = serviceZone ?? workflowZone;
		if (serviceZone === undefined || isTimeZone(serviceZone)) return;
		throw new UserError(
			`The service says that its time zone is "${serviceZone}", which is unknown`,
			{
				description:
					'Nothing was sent. The node counts days in the time zone of the service. Report this response to GET /me ("time_zone") to the operator of the service.',
			},
		);
	}

	get today(): string {
		return this.getDayIn(0);
	}

	getDayIn(days: number): string {
		return getDateInDays(days, this.timeZone);
	}

	/** @param advice what else to do, in a sentence @throws UserError */
	assertNotPast(day: string, label: string, advice: string): void {
		if (day >= this.today) return;
		throw new UserError(`"${label}" (${day}) is in the past`, {
			description: `Today is ${this.describeToday()}. Pick today or a later day. ${advice}`,
		});
	}

	/** For a message: `2027-03-15 in the time zone of the service (Europe/Berlin)`. */
	describeToday(): string {
		const owner = this.serviceZone === undefined ? 'workflow' : 'service';
		return `${this.today} in the time zone of the ${owner} (${this.timeZone})`;
	}

	/** Until when there is access in both time zones; undefined where the last day ends at the same time in both. */
	describeEnd(lastDay: string): string | undefined {
		const { serviceZone, workflowZone } = this;
		if (serviceZone === undefined) return undefined;
		const end = tryToParseDateTime(lastDay, serviceZone).plus({ days: 1 });
		const own = end.setZone(workflowZone);
		if (own.offset === end.offset) return undefined;
		const moment = own.toFormat('yyyy-MM-dd HH:mm');
		return `Access ends at the end of ${lastDay} in the time zone of the service (${serviceZone}): ${moment} in that of the workflow (${workflowZone}).`;
	}
}

/** What knows in which days are counted: an item asks the service for it, and only where days are counted. */
export interface DayCounter {
	/** That of the workflow, in which a moment has its day. */
	timeZone: string;
	getCalendar(): Promise<Calendar>;
}

function isTimeZone(name: string): boolean {
	try {
		return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
	} catch {
		return false;
	}
}
