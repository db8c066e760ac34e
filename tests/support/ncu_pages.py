"""Small pages of ncu, of kernels that are made up: as `ncu --csv --page details` and `--page raw` print them."""

DETAILS = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
           "Device", "CC", "Section Name", "Body Item Label", "Metric Name", "Metric Unit", "Metric Value", "Rule Name",
           "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]
RAW = {"dram__bytes_read.sum": "Kbyte", "gpu__time_duration.sum": "us", "launch__func_cache_config": "",
       "sm__throughput.avg.pct_of_peak_sustained_elapsed": "%"}
# Names with what CSV has to quote. Two of them with several grids.
KERNELS = [("gemm", 4, 128), ("gemm", 16, 128), ('norm<int, 4>', 1, 128), ('void "odd", kernel<(int)3>(float *)', 7, 32),
           ("gemm", 4, 128)]

LIGHT = "GPU Speed Of Light Throughput"
ROOFLINE = "GPU Speed Of Light Roofline Chart"
ACHIEVED, ROOF = "Single Precision Achieved Value", "Single Precision Roofline"


def line(cells):
    return ",".join('"' + str(cell).replace('"', '""') + '"' for cell in cells) + "\n"


def head_of(number, name, grid, block):
    return [number, 9, "python", "host", name, 1, 7, f"({block}, 1, 1)", f"({grid}, 1, 1)", 0, "9.0"]


def metrics_of(number):
    """Section, item, name, unit, value."""
    yield LIGHT, "", "Duration", "us", f"{1 + number}.25"
    yield LIGHT, "", "Compute (SM) Throughput", "%", f"{20 + number}.5"
    yield LIGHT, "", "Memory Throughput", "%", f"{70 - number}.00"
    yield LIGHT, "", "L2 Hit Rate", "%", "n/a"
    yield ROOFLINE, ACHIEVED, "Predicated-On FFMA Operations Per Cycle", "inst", f"{1 + number}.50"
    yield ROOFLINE, ACHIEVED, "SM Frequency", "Ghz", "2.00"
    yield ROOFLINE, ACHIEVED, "DRAM Bandwidth", "Gbyte/s", "1,552.00"
    yield ROOFLINE, ROOF, "Theoretical Predicated-On FFMA Operations", "inst", "43,520"
    yield ROOFLINE, ROOF, "SM Frequency", "Ghz", "2.00"
    yield ROOFLINE, ROOF, "Theoretical DRAM Bytes Accessible", "byte/cycle", "128"
    yield ROOFLINE, ROOF, "DRAM Frequency", "Ghz", "13.78"
    yield "Warp State Statistics", "", "Stall Long Scoreboard", "cycle", "30.5"
    yield "Warp State Statistics", "", "Stall Wait", "cycle", "2.5"
    yield "Launch Statistics", "", "Function Cache Configuration", "", "CachePreferNone"


def details(kernels=None):
    text = line(DETAILS)
    for number, kernel in enumerate(kernels or KERNELS):
        head = head_of(number, *kernel)
        for metric in metrics_of(number):
            text += line([*head, *metric, "", "", "", "", ""])
        text += line([*head, "Occupancy", "", "", "", "", "TheoreticalOccupancy", "OPT",
                      "Registers limit, with a comma, the occupancy.", "global", f"{10 + number}.5"])
    return text


def raw(kernels=None):
    text = line(DETAILS[:11] + list(RAW)) + line([""] * 11 + list(RAW.values()))
    for number, kernel in enumerate(kernels or KERNELS):
        text += line([*head_of(number, *kernel), f"1,{number}34.5", f"{1 + number}.250000", "CachePreferNone", f"{20 + number}.5"])
    return text
