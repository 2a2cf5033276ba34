/** A LangGraph checkpointer on a Pawl log: a file, or a server's. */
import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions, Checkpoint, CheckpointListOptions, CheckpointMetadata, CheckpointTuple, PendingWrite, SerializerProtocol,
} from "@langchain/langgraph-checkpoint";

export interface PawlSaverOptions {
  /** What turns values into bytes and back; without one, LangGraph's own. */
  serde?: SerializerProtocol;
  /** The mission that the threads' runs belong to; without one, "langgraph". */
  mission?: string;
}

export class PawlSaver extends BaseCheckpointSaver {
  constructor(pathOrUrl: string, options?: PawlSaverOptions);
  /** A log's path, made where there is none, or a `postgresql://` URL. It is opened when it is first used. */
  static fromConnString(pathOrUrl: string, options?: PawlSaverOptions): PawlSaver;
  getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined>;
  list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;
  put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, newVersions: ChannelVersions): Promise<RunnableConfig>;
  putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void>;
  /** Permanently: values that nothing else has go with it, and a Pruned event is the receipt. */
  deleteThread(threadId: string): Promise<void>;
  /** Close the log. */
  end(): Promise<void>;
}
