import type { Progress } from '../../tools/progress.cts';
import type { PartResult } from '../report.cts';
import type { BenchmarkSettings } from '../settings.cts';
import type { Stage } from '../stage.cts';

/** What a part of the benchmark is given. */
export interface PartContext {
	stage: Stage;
	settings: BenchmarkSettings;
	progress: Progress;
	/** Makes one more stage, whose n8n and service are its own; it is closed at the end of the run. */
	anotherStage(): Promise<Stage>;
}

/** Measures one thing and says what was expected of it. */
export type Part = (context: PartContext) => Promise<PartResult>;
