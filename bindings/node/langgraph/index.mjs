import * as checkpoint from "@langchain/langgraph-checkpoint";
import pawl from "pawl";
import saver from "./saver.cjs";

export const { PawlSaver } = saver.make(checkpoint, pawl);
