// Each row lights up for itself.
import { lightPartners } from "./workbench.js";

for (const row of document.querySelectorAll(".sentences")) lightPartners(row, "data-links");
