import type { Progress } from '../../tools/tool.cts';
import type { BenchmarkEnvironment } from '../environment.cts';
import type { ScenarioResult } from '../report.cts';
import type { BenchmarkSettings } from '../settings.cts';

export interface ScenarioContext {
	environment: BenchmarkEnvironment;
	settings: BenchmarkSettings;
	progress: Progress;
	/** Starts one more environment, which is stopped at the end of the run. */
	startEnvironment(): Promise<BenchmarkEnvironment>;
}

/** Measures one thing and compares it with what is expected. */
export type Scenario = (context: ScenarioContext) => Promise<ScenarioResult>;
